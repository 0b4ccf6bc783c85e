import { chainDigest } from '../../../core/base/digest.js';
import type { StoredFile } from '../../../core/base/files.js';
import { entryOf } from '../../../core/base/once.js';
import type { Message } from '../../../core/model/message.js';
import { type Notes, type NotesSections, notesFromText } from '../../../core/model/notes.js';
import { lazyText, literalText } from '../../../core/model/text.js';
import { type Action, type Asker, CLOSING_TOKENS, type Outcome } from '../../../core/run/action.js';
import type { ContextView } from '../../../core/run/layer.js';
import type { ParamValues } from '../../../core/run/params.js';
import { estimateText } from '../../../core/tokens/heuristic.js';
import { askFork, handedBack } from '../auto-memory/fork-turns.js';
import { quietReport } from '../support/compaction-report.js';
import { layerParams, param } from '../support/param-reader.js';

/** Parameters of session memory (SES). */
export const SESSION_MEMORY_PARAMS = layerParams('session-memory');

/** Limits of the notes themselves (SES-4). */
export interface NotesLimits {
  readonly sectionTokens: number;
  readonly totalTokens: number;
}

/** How much of the conversation a compaction from notes keeps (SES-6). */
export interface KeepLimits {
  readonly minTokens: number;
  readonly minMessages: number;
  readonly maxTokens: number;
}

/** The limits of the notes, from the parameters. */
export function notesLimits(params: ParamValues): NotesLimits {
  return {
    sectionTokens: param.number(params, 'sessionMemory.sectionTokens'),
    totalTokens: param.number(params, 'sessionMemory.totalTokens'),
  };
}

/** The limits of the kept tail, from the parameters. */
export function keepLimits(params: ParamValues): KeepLimits {
  return {
    minTokens: param.number(params, 'sessionMemory.keepMinTokens'),
    minMessages: param.number(params, 'sessionMemory.keepMinMessages'),
    maxTokens: param.number(params, 'sessionMemory.keepMaxTokens'),
  };
}

/** An extraction that was started; its notes are there once its time has come. */
interface Extraction {
  readonly startMs: number;
  readonly endMs: number;
  readonly notes: Notes;
  readonly lastMessageId: string;
  /** Gets the results of its edits when they are in the file (SES-3); null once what it stands on is gone. */
  readonly fork: EditingFork | null;
}

/** A fork that has answered with edits. */
interface EditingFork {
  readonly id: string;
  /** The conversation that it was sent, and what it was told behind it. */
  readonly messages: readonly Message[];
  readonly instruction: Message;
  readonly outputTokens: number;
  readonly edits: number;
}

/** What the extraction and the compaction from notes know together about one thread. */
export class SessionMemoryState {
  /** The notes that are on disk; null before the first, and after a restart of the process. */
  notes: Notes | null = null;
  /** Latest message the notes cover; null when unknown. */
  lastSummarisedMessageId: string | null = null;
  /** At most one at a time (SES-3). */
  running: Extraction | null = null;
  /** Compactions made from notes, for the ids of their messages. */
  compactions = 0;
}

/** The state of a thread, shared by its layers. */
export function sessionMemoryState(shared: Map<string, unknown>): SessionMemoryState {
  return entryOf(shared, 'session-memory', () => new SessionMemoryState());
}

/** The notes of a file: those in the state when the file holds them, else as far as its text tells. */
export function notesOnDisk(state: SessionMemoryState, file: StoredFile): Notes {
  const { notes } = state;
  if (notes === null) return notesFromText(file.text);
  if (file.content === notes.text) return notes;
  return file.chars === notes.text.chars && file.text === notes.text.read()
    ? notes
    : notesFromText(file.text);
}

/** The edits of an extraction reach the file; what they cover is taken over, and the fork comes to its end. */
export function* landExtraction(
  state: SessionMemoryState,
  path: string,
  nowMs: number,
  view: ContextView,
): Generator<Action, void, Outcome> {
  const { running } = state;
  if (running === null || running.endMs > nowMs) return;
  state.running = null;
  state.notes = running.notes;
  state.lastSummarisedMessageId = running.lastMessageId;
  yield { kind: 'write-file', by: LANDED, path, text: running.notes.text };
  if (running.fork !== null) yield* closeFork(running.fork, nowMs, view);
}

const CLOSED: Asker = { layer: 'session-memory', reason: 'the edits of the notes are in the file' };

/** Sends the results of the edits back; the fork ends with a few words (SES-3, C31). Nothing depends on them any more. */
function* closeFork(fork: EditingFork, at: number, view: ContextView): Generator<Action, void, Outcome> {
  const { id, messages, instruction, outputTokens, edits } = fork;
  const { calls, results } = handedBack(`${id}-edits`, edits, outputTokens, at);
  const outcome = yield askFork(CLOSED, {
    purpose: 'session_memory',
    messages,
    ownTurns: [instruction, calls],
    about: [],
    instruction: results,
    answer: { kind: 'short', tokens: CLOSING_TOKENS },
  });
  const failure = outcome.kind === 'failed' ? outcome.failure.reason : null;
  yield quietReport('session-memory', view, {
    action: 'close',
    outcome: failure === null ? 'done' : 'failed',
    reason: CLOSED.reason,
    failure,
    details: { edits },
  });
}

const LANDED: Asker = { layer: 'session-memory', reason: 'the extraction has finished' };

/** Where the notes of a thread are kept in the simulated home. */
export function notesPath(thread: string): string {
  return `/session-memory/${thread}/notes.md`;
}

/** One section of a notes file. */
export interface NotesSection {
  readonly name: string;
  /** The header line as it stands; empty for text before the first header. */
  readonly header: string;
  /** The italic line below it; null when it is missing. */
  readonly description: string | null;
  /** What was noted, without blank lines around it. */
  readonly content: string;
}

const FENCE = '```';
const HEADER = /^# +(.*)$/;
const DESCRIPTION = /^(?:_.*_|\*.*\*)$/;

/** Splits a notes file at its headers of the first level; fenced code is never taken for a header. @internal */
export function parseSections(text: string): readonly NotesSection[] {
  const sections: NotesSection[] = [];
  let name = '';
  let header = '';
  let lines: string[] = [];
  let isFenced = false;
  const close = (): void => {
    const first = lines.findIndex((line) => line.trim() !== '');
    const isDescribed = header !== '' && first !== -1 && DESCRIPTION.test(lines[first]!.trim());
    const description = isDescribed ? lines[first]!.trim() : null;
    const content = trimBlankLines(isDescribed ? lines.slice(first + 1) : lines);
    if (header !== '' || content !== '') sections.push({ name, header, description, content });
  };
  for (const line of text.split('\n')) {
    if (line.startsWith(FENCE)) isFenced = !isFenced;
    const match = isFenced ? null : HEADER.exec(line);
    if (match === null) {
      lines.push(line);
      continue;
    }
    close();
    name = match[1]!.trim();
    header = line.trimEnd();
    lines = [];
  }
  close();
  return sections;
}

function trimBlankLines(lines: readonly string[]): string {
  let from = 0;
  let to = lines.length;
  while (from < to && lines[from]!.trim() === '') from++;
  while (to > from && lines[to - 1]!.trim() === '') to--;
  return lines.slice(from, to).join('\n');
}

/** The sections of notes with their sizes; the text is read only when nothing else can tell. */
function sectionsOf(notes: Notes): NotesSections {
  if (notes.sections !== null) return notes.sections;
  const frames = parseSections(notes.text.read());
  return { frames, sizes: frames.map(({ content }) => content.length), edited: 0 };
}

/** True when nothing was noted yet: no section holds anything but its header and description (SES-5). */
export function isEmptyTemplate(notes: Notes): boolean {
  return sectionsOf(notes).sizes.every((chars) => chars === 0);
}

/** What is over its limit in a notes file, as the client's own estimate has it (SES-4). */
export interface OverLimit {
  /** Sections over the limit of one section. */
  readonly sections: readonly { readonly name: string; readonly tokens: number }[];
  readonly totalTokens: number;
  readonly isTotalOver: boolean;
  /** Names the next extraction is told to condense: those over, or all that hold something when the total is over. */
  readonly condense: readonly string[];
}

/** Compares notes with their limits (SES-4). */
export function sectionsOver(notes: Notes, limits: NotesLimits): OverLimit {
  const totalTokens = estimateText(notes.text.chars);
  const isTotalOver = totalTokens > limits.totalTokens;
  const sections: { readonly name: string; readonly tokens: number }[] = [];
  const condense: string[] = [];
  const { frames, sizes } = sectionsOf(notes);
  for (let i = 0; i < sizes.length; i++) {
    const { name } = frames[i]!;
    const tokens = estimateText(sizes[i]!);
    const isOver = tokens > limits.sectionTokens;
    if (isOver) sections.push({ name, tokens });
    if (isOver || (isTotalOver && tokens > 0)) condense.push(name);
  }
  return { sections, totalTokens, isTotalOver, condense };
}

/** Notes as they enter the context. */
export interface CutNotes {
  readonly notes: Notes;
  /** Names of the sections that lost something. */
  readonly cut: readonly string[];
}

const CUT_LINE = '[… the rest of this section was left out]';

/** Characters of a section's own that stay once it is cut: room for the line that says so, and to close code. */
function roomOf(sectionChars: number): number {
  return sectionChars - CUT_LINE.length - FENCE.length - 2;
}

function lastLine(path: string): string {
  return `\n[Notes cut for length; the whole file is ${path}]\n`;
}

/** Cuts each section to its budget (SES-9). Where the sections are known, words are cut only when somebody reads them. */
export function cutForUse(notes: Notes, sectionChars: number, path: string): CutNotes {
  const { frames, sizes } = sectionsOf(notes);
  const long = sizes.filter((chars) => chars > sectionChars);
  if (long.length === 0) return { notes, cut: [] };
  const cut = frames.filter((_, i) => sizes[i]! > sectionChars).map(({ name }) => name);
  const build = (): string => truncateForUse(notes.text.read(), sectionChars, path);
  const cutChars = roomOf(sectionChars) + 1 + CUT_LINE.length;
  const text =
    notes.sections === null
      ? literalText(build())
      : lazyText(
          long.reduce((sum, chars) => sum - chars + cutChars, notes.text.chars + lastLine(path).length),
          build,
        );
  const tokens = Math.ceil((notes.tokens * text.chars) / notes.text.chars);
  const digest = chainDigest(notes.digest, sectionChars);
  return { notes: { text, tokens, digest, sections: null }, cut };
}

/** Cuts each section to its budget, headers and descriptions kept; a last line says where the whole file is (SES-9). */
export function truncateForUse(text: string, sectionChars: number, path: string): string {
  const sections = parseSections(text);
  if (sections.every(({ content }) => content.length <= sectionChars)) return text;
  const parts = sections.map(({ header, description, content }) => {
    const head = header === '' ? '' : `${header}\n`;
    const about = description === null ? '' : `${description}\n`;
    const kept = content.length > sectionChars ? cutContent(content, sectionChars) : content;
    return `${head}${about}${kept === '' ? '' : `\n${kept}\n`}`;
  });
  return `${parts.join('\n')}${lastLine(path)}`;
}

/** The beginning of a section, no character split; code that was cut into is closed. */
function cutContent(content: string, sectionChars: number): string {
  let kept = content.slice(0, roomOf(sectionChars));
  const last = kept.charCodeAt(kept.length - 1);
  if (last >= 0xd800 && last <= 0xdbff) kept = `${kept.slice(0, -1)}…`;
  const fences = kept.split('\n').filter((line) => line.startsWith(FENCE)).length;
  return `${kept}${fences % 2 === 1 ? `\n${FENCE}` : ''}\n${CUT_LINE}`;
}
