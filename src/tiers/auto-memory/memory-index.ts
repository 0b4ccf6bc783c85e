import type { StoredFile } from '../../base/files.js';
import { isBinary, type Memory } from '../../model/memory.js';
import {
  byteLength,
  type CutIndex,
  type IndexFacts,
  type IndexLimits,
  indexFacts,
  knowIndex,
} from './index-facts.js';

/** The index as it enters the system prompt. */
export interface LoadedIndex {
  /** What the model sees; null when there is nothing to show. */
  readonly text: string | null;
  readonly lines: number;
  readonly bytes: number;
  readonly shownLines: number;
  /** Which limit cut it; null when it is whole. */
  readonly cutBy: 'lines' | 'bytes' | null;
  readonly isBinary: boolean;
}

/** White space that is not one plain blank. */
const ODD_SPACE = / {2}|[^\S ]/;

/** The line of a memory in the index, cut so that it stays below the limit (AUT-3). */
export function indexLine({ name, description }: Memory, lineChars: number): string {
  const words = ODD_SPACE.test(description) ? description.replace(/\s+/g, ' ') : description;
  const line = `- [${name}](${name}.md): ${words}`;
  if (line.length < lineChars) return line;
  return `${line.slice(0, lineChars - 2)}…`;
}

/** A line of the index with what is known of it. */
export interface IndexLine {
  readonly text: string;
  readonly bytes: number;
  readonly isBinary: boolean;
  /** The limit it was cut by. */
  readonly lineChars: number;
}

/** Lines that were made before: the same memory is found again with each replay of a session. */
const LINES = new WeakMap<Memory, IndexLine>();

/** The line of a memory in the index, made once. */
export function indexLineOf(memory: Memory, lineChars: number): IndexLine {
  let line = LINES.get(memory);
  if (line?.lineChars !== lineChars) {
    const text = indexLine(memory, lineChars);
    line = { text, bytes: byteLength(text), isBinary: isBinary(text), lineChars };
    LINES.set(memory, line);
  }
  return line;
}

/** The whole index of some memories, one line each. */
export function renderIndex(memories: readonly Memory[], lineChars: number): string {
  return memories.map((memory) => `${indexLine(memory, lineChars)}\n`).join('');
}

/** Takes an index file up to its limits, whichever comes first; a cut is told in a last line (AUT-3). */
export function loadIndex(file: StoredFile, limits: IndexLimits): LoadedIndex {
  const facts = indexFacts(file);
  const { lines, bytes, isBinary } = facts;
  if (isBinary || lines === 0) return { lines, bytes, text: null, shownLines: 0, cutBy: null, isBinary };
  const shown = isCutBy(facts.cut, limits) ? facts.cut : firstLines(file.text, facts, limits);
  const { by } = shown;
  if (by === null) return { lines, bytes, text: shown.text, shownLines: shown.lines, cutBy: null, isBinary };
  if (facts.cut !== shown) knowIndex(file, { ...facts, cut: { ...shown, by } });
  const limit = by === 'lines' ? `${limits.lines} lines` : `${limits.bytes} bytes`;
  const text = `${shown.text}[index cut: ${shown.lines} of ${lines} lines are shown, the limit is ${limit}]\n`;
  return { lines, bytes, text, shownLines: shown.lines, cutBy: by, isBinary };
}

function isCutBy(cut: CutIndex | null, limits: IndexLimits): cut is CutIndex {
  return cut !== null && cut.limits.lines === limits.lines && cut.limits.bytes === limits.bytes;
}

/** The lines that fit, and the limit that keeps the others out. */
function firstLines(
  text: string,
  { bytes }: IndexFacts,
  limits: IndexLimits,
): Omit<CutIndex, 'by'> & { readonly by: LoadedIndex['cutBy'] } {
  const isAscii = bytes === text.length;
  let by: LoadedIndex['cutBy'] = null;
  let used = 0;
  const shown: string[] = [];
  for (let from = 0, end = 0; from < text.length && by === null; from = end + 1) {
    end = text.indexOf('\n', from);
    if (end === -1) end = text.length;
    if (end === from) continue;
    const line = text.slice(from, end);
    const size = (isAscii ? line.length : byteLength(line)) + 1;
    if (shown.length === limits.lines) by = 'lines';
    else if (used + size > limits.bytes) by = 'bytes';
    else {
      used += size;
      shown.push(line);
    }
  }
  return { limits, text: shown.map((line) => `${line}\n`).join(''), lines: shown.length, by };
}
