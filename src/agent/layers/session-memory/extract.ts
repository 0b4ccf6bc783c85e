import { chainDigest, type Digest, digestText } from '../../../core/base/digest.js';
import { CHARS_PER_TOKEN, textBlock } from '../../../core/model/block.js';
import { type Message, PassingMessage } from '../../../core/model/message.js';
import { NOTES_TEMPLATE, type Notes, notesFromText } from '../../../core/model/notes.js';
import { lazyText } from '../../../core/model/text.js';
import type { Action, Answer, Asker, LayerReport, Outcome } from '../../../core/run/action.js';
import type {
  ContextView,
  HookContext,
  LayerContext,
  LayerDefinition,
  LayerInstance,
} from '../../../core/run/layer.js';
import { askFork } from '../auto-memory/fork-turns.js';
import { quietReport } from '../support/compaction-report.js';
import { param } from '../support/param-reader.js';
import { settledLength } from './kept-tail.js';
import {
  landExtraction,
  type NotesLimits,
  notesLimits,
  notesOnDisk,
  notesPath,
  type OverLimit,
  SESSION_MEMORY_PARAMS,
  type SessionMemoryState,
  sectionsOver,
  sessionMemoryState,
} from './notes-file.js';

/** What the fork is told (SES-3): one file, no other tool, and what has grown too long (SES-4). */
interface InstructionInit {
  readonly id: string;
  readonly at: number;
  readonly path: string;
  /** The notes as they are; the fork gets them with the instruction. */
  readonly notes: Notes;
  readonly over: OverLimit;
  readonly limits: NotesLimits;
}

/** The message that asks a fork to bring the notes up to date. Its text is built when somebody reads it. */
function extractionInstruction(init: InstructionInit): Message {
  const { notes } = init;
  const before = opening(init.path);
  const after = closing(init.over, init.limits);
  const own = before.text.length + after.text.length;
  const text = lazyText(own + notes.text.chars, () => `${before.text}${notes.text.read()}${after.text}`);
  const digest = chainDigest(chainDigest(before.digest, after.digest), notes.digest);
  const block = textBlock(text, Math.ceil(own / CHARS_PER_TOKEN) + notes.tokens, digest);
  return new PassingMessage(init.id, 'user', 'directive', [block], init.at);
}

interface Opening {
  readonly path: string;
  readonly text: string;
  readonly digest: Digest;
}

let latest: Opening | null = null;

/** The opening for a path; a thread asks for the same one again and again. */
function opening(path: string): Opening {
  if (latest?.path !== path) {
    const text = openingText(path);
    latest = { path, text, digest: digestText(text) };
  }
  return latest;
}

interface Closing {
  readonly limits: NotesLimits;
  readonly text: string;
  readonly digest: Digest;
}

let plainClosing: Closing | null = null;

/** What follows the notes; as long as nothing is over its limit it stays the same. */
function closing(over: OverLimit, limits: NotesLimits): Closing {
  const isPlain = over.sections.length === 0 && !over.isTotalOver;
  if (isPlain && plainClosing?.limits === limits) return plainClosing;
  const text = `\n</notes>\n${condenseText(over, limits)}`;
  const made = { limits, text, digest: digestText(text) };
  if (isPlain) plainClosing = made;
  return made;
}

function openingText(path: string): string {
  return [
    'This request comes from the client, not from the user, and is no part of the conversation above.',
    `Bring the notes of this session up to date in ${path}. That file is the only one you may touch, and editing it is`,
    'the only tool you may use: every other call is refused. Make all edits in one go, then stop.',
    'Leave each header and the italic line below it exactly as they stand and write beneath them. Put down what somebody',
    'needs who takes over the work: names, paths, commands, numbers. A section with nothing new stays as it is.',
    'Always renew the current state.',
    '',
    '<notes>',
    '',
  ].join('\n');
}

function condenseText(over: OverLimit, limits: NotesLimits): string {
  const lines = [
    `Keep each section below ${limits.sectionTokens} tokens and all of them below ${limits.totalTokens}.`,
  ];
  if (over.isTotalOver) {
    lines.push(
      `URGENT: the notes hold about ${over.totalTokens} tokens. Shorten them below ${limits.totalTokens} before anything else;`,
      'keep the current state and the errors in most detail.',
    );
  }
  if (over.sections.length > 0) lines.push('Condense these sections:');
  for (const { name, tokens } of over.sections)
    lines.push(`- ${name}: about ${tokens} of ${limits.sectionTokens} tokens`);
  return `${lines.join('\n')}\n`;
}

const LAYER = 'session-memory';

/** Decides when the notes are brought up to date, and asks for it. */
class SessionMemory implements LayerInstance {
  readonly canCheckpoint = true;
  readonly observes = 'assistant';
  private readonly isOn: boolean;
  private readonly initialTokens: number;
  private readonly growthTokens: number;
  private readonly minToolCalls: number;
  private readonly limits: NotesLimits;
  private readonly path: string;
  private readonly state: SessionMemoryState;
  /** Context size at the latest extraction; null before the first. */
  private tokensAtLast: number | null = null;
  /** A compaction shrank the context: growth counts from its size at the next response. */
  private baseline: 'known' | 'to-be-taken' = 'known';
  private toolCallsSince = 0;
  private lastResponseId: string | null = null;
  private callsInLastResponse = 0;
  private measuredNotes: Notes | null = null;
  private measured: OverLimit = { sections: [], totalTokens: 0, isTotalOver: false, condense: [] };

  constructor({ params, thread, shared }: LayerContext) {
    this.isOn = param.isOn(params, 'sessionMemory.enabled');
    this.initialTokens = param.number(params, 'sessionMemory.initialTokens');
    this.growthTokens = param.number(params, 'sessionMemory.growthTokens');
    this.minToolCalls = param.number(params, 'sessionMemory.minToolCalls');
    this.limits = notesLimits(params);
    this.path = notesPath(thread);
    this.state = sessionMemoryState(shared);
  }

  observe(message: Message): void {
    let calls = 0;
    for (let i = 0; i < message.blocks.length; i++) if (message.blocks[i]!.kind === 'tool_use') calls++;
    const continues = message.responseId !== null && message.responseId === this.lastResponseId;
    this.callsInLastResponse = continues ? this.callsInLastResponse + calls : calls;
    this.lastResponseId = message.responseId;
    this.toolCallsSince += calls;
  }

  reset(): void {
    if (this.tokensAtLast !== null) this.baseline = 'to-be-taken';
    // What the fork stands on is gone, with all that was deleted from it on the server.
    if (this.state.running === null) return;
    const { startMs, endMs, notes, lastMessageId } = this.state.running;
    this.state.running = { startMs, endMs, notes, lastMessageId, fork: null };
  }

  resume(): void {
    this.state.notes = null;
    this.state.lastSummarisedMessageId = null;
    this.state.running = null;
    this.tokensAtLast = null;
    this.baseline = 'known';
    this.toolCallsSince = 0;
  }

  due(moment: HookContext, view: ContextView): boolean {
    if (!this.isOn || moment.source !== 'main') return false;
    if (this.state.running !== null) return this.state.running.endMs <= moment.now;
    return moment.point !== 'wake' && this.isTriggered(view);
  }

  *act(moment: HookContext, view: ContextView): Generator<Action, void, Outcome> {
    yield* landExtraction(this.state, this.path, moment.now, view);
    if (this.state.running === null && moment.point !== 'wake' && this.isTriggered(view))
      yield* this.extract(moment, view);
  }

  /** The same notes are looked at twice: when they come in and when they go out with the next instruction. */
  private measure(notes: Notes): OverLimit {
    if (notes !== this.measuredNotes) {
      this.measured = sectionsOver(notes, this.limits);
      this.measuredNotes = notes;
    }
    return this.measured;
  }

  private isTriggered(view: ContextView): boolean {
    if (this.tokensAtLast === null) return view.seenTokens >= this.initialTokens;
    if (this.baseline === 'to-be-taken') {
      this.tokensAtLast = view.seenTokens;
      this.baseline = 'known';
    }
    if (view.seenTokens - this.tokensAtLast < this.growthTokens) return false;
    return this.toolCallsSince >= this.minToolCalls || this.callsInLastResponse === 0;
  }

  private *extract(moment: HookContext, view: ContextView): Generator<Action, void, Outcome> {
    const { state, path, limits } = this;
    const length = settledLength(view.messages);
    if (length === 0) return;
    const messages = view.messages.slice(0, length);
    const by: Asker = {
      layer: LAYER,
      reason: reasonOf(view.seenTokens, this.tokensAtLast, this.toolCallsSince),
    };
    if (view.files.read(path) === null) yield { kind: 'write-file', by, path, text: NOTES_TEMPLATE };
    const file = view.files.read(path);
    const current = file === null ? notesFromText(NOTES_TEMPLATE) : notesOnDisk(state, file);
    const over = this.measure(current);
    const instruction = extractionInstruction({
      id: `session-memory-${moment.turn}`,
      at: moment.now,
      path,
      notes: current,
      over,
      limits,
    });
    const outcome = yield askFork(by, {
      purpose: 'session_memory',
      messages: length === view.messages.length ? view.messages : messages,
      instruction,
      answer: { kind: 'notes', previous: current, condense: over.condense },
    });
    const failure = failureOf(outcome);
    if (failure !== null || outcome.kind !== 'answer') {
      const name = failure ?? 'no-answer';
      yield report(view, by, { outcome: 'failed', failure: name, details: { condensed: over.condense } });
      return;
    }
    const { answer } = outcome;
    const lastMessageId = view.messages[length - 1]!.id;
    const { text, tokens, digest, sections } = answer;
    const notes: Notes = { text, tokens, digest, sections };
    const fork = {
      id: `session-memory-${moment.turn}`,
      messages,
      instruction,
      outputTokens: answer.usage.output,
      edits: sections?.edited ?? 1,
    };
    state.running = { startMs: moment.now, endMs: answer.endMs, notes, lastMessageId, fork };
    const details = extractDetails(answer, moment.now, lastMessageId, over, this.measure(notes));
    yield report(view, by, { outcome: 'done', failure: null, details });
    this.tokensAtLast = view.seenTokens;
    this.baseline = 'known';
    this.toolCallsSince = 0;
    if (answer.endMs > moment.now) yield { kind: 'wake-at', by, timeMs: answer.endMs };
    yield* landExtraction(state, path, moment.now, view);
  }
}

/** Session memory: notes of the session, brought up to date by forks in the background (SES-1 … SES-4). */
export const sessionMemoryLayer: LayerDefinition = {
  name: 'session-memory',
  layer: LAYER,
  points: ['after-response', 'wake'],
  needs: [],
  params: SESSION_MEMORY_PARAMS,
  killSwitch: 'sessionMemory.enabled',
  create: (context) => new SessionMemory(context),
};

/** Why an outcome brings no notes; null when it does. */
function failureOf(outcome: Outcome): string | null {
  if (outcome.kind === 'failed') return outcome.failure.reason;
  if (outcome.kind === 'done') return 'no-answer';
  switch (outcome.answer.form) {
    case 'empty':
      return 'empty-notes';
    case 'error':
      return 'error-as-notes';
    case 'tool-call':
      return 'tool-refused';
    default:
      return outcome.answer.text.chars === 0 ? 'empty-notes' : null;
  }
}

function reasonOf(seenTokens: number, tokensAtLast: number | null, toolCalls: number): string {
  if (tokensAtLast === null) return `the context holds ${seenTokens} tokens`;
  return `the context grew by ${seenTokens - tokensAtLast} tokens with ${toolCalls} tool calls`;
}

function extractDetails(
  answer: Answer,
  startMs: number,
  lastMessageId: string,
  before: OverLimit,
  after: OverLimit,
): LayerReport['details'] {
  return {
    tokens: answer.tokens,
    outputTokens: answer.usage.output,
    edits: answer.sections?.edited ?? 1,
    seenTokens: after.totalTokens,
    sectionsOver: after.sections.map(({ name }) => name),
    totalOver: after.isTotalOver,
    condensed: before.condense,
    urgent: before.isTotalOver,
    runsMs: answer.endMs - startMs,
    lastMessageId,
  };
}

function report(
  view: ContextView,
  by: Asker,
  { outcome, failure, details }: Pick<LayerReport, 'outcome' | 'failure' | 'details'>,
): Action {
  return quietReport(LAYER, view, { action: 'extract', outcome, reason: by.reason, failure, details });
}
