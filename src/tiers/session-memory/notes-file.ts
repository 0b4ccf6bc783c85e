import { NOTES_TEMPLATE as EMPTY_NOTES } from '../../model/notes.js';
import { estimateText } from '../../tokens/heuristic.js';
import type { NotesLimits } from './params.js';

/** The notes before anything was written, as the file starts out (SES-1). */
export const NOTES_TEMPLATE = EMPTY_NOTES;

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

/** Splits a notes file at its headers of the first level; fenced code is never taken for a header. */
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

/** True when nothing was noted yet: no section holds anything but its header and description (SES-5). */
export function isEmptyTemplate(text: string): boolean {
  return parseSections(text).every((section) => section.content === '');
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

/** Compares a notes file with its limits (SES-4). */
export function sectionsOver(text: string, limits: NotesLimits): OverLimit {
  const sized = parseSections(text).map(({ name, content }) => ({
    name,
    tokens: estimateText(content.length),
  }));
  const sections = sized.filter(({ tokens }) => tokens > limits.sectionTokens);
  const totalTokens = estimateText(text.length);
  const isTotalOver = totalTokens > limits.totalTokens;
  const told = isTotalOver ? sized.filter(({ tokens }) => tokens > 0) : sections;
  return { sections, totalTokens, isTotalOver, condense: told.map(({ name }) => name) };
}

/** Notes as they enter the context. */
export interface CutNotes {
  readonly text: string;
  /** Names of the sections that lost something. */
  readonly cut: readonly string[];
}

const CUT_LINE = '[… the rest of this section was left out]';

/** Cuts each section to its budget, headers and descriptions kept; a last line says where the whole file is (SES-9). */
export function truncateForUse(text: string, sectionChars: number, path: string): CutNotes {
  const sections = parseSections(text);
  const cut = sections.filter(({ content }) => content.length > sectionChars).map(({ name }) => name);
  if (cut.length === 0) return { text, cut };
  const parts = sections.map(({ header, description, content }) => {
    const head = header === '' ? '' : `${header}\n`;
    const about = description === null ? '' : `${description}\n`;
    const kept = content.length > sectionChars ? cutContent(content, sectionChars) : content;
    return `${head}${about}${kept === '' ? '' : `\n${kept}\n`}`;
  });
  return { text: `${parts.join('\n')}\n[Notes cut for length; the whole file is ${path}]\n`, cut };
}

/** The first lines that fit, or part of the first one when it alone is too long; code that was cut into is closed. */
function cutContent(content: string, sectionChars: number): string {
  const room = sectionChars - CUT_LINE.length - FENCE.length - 2;
  const lineEnd = content.lastIndexOf('\n', room);
  let end = lineEnd > 0 ? lineEnd : room;
  const last = content.charCodeAt(end - 1);
  if (last >= 0xd800 && last <= 0xdbff) end--;
  const kept = content.slice(0, end);
  const fences = kept.split('\n').filter((line) => line.startsWith(FENCE)).length;
  return `${kept}${fences % 2 === 1 ? `\n${FENCE}` : ''}\n${CUT_LINE}`;
}
