import type { StoredFile } from '../../base/files.js';
import type { Memory } from '../../model/memory.js';
import { byteLength, indexFacts } from './index-facts.js';

/** Limits of the index (AUT-3). */
export interface IndexLimits {
  readonly lines: number;
  readonly bytes: number;
  /** A line stays below this. */
  readonly lineChars: number;
}

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

/** The line of a memory in the index, cut so that it stays below the limit (AUT-3). */
export function indexLine({ name, description }: Memory, lineChars: number): string {
  const line = `- [${name}](${name}.md): ${description.replace(/\s+/g, ' ')}`;
  if (line.length < lineChars) return line;
  return `${line.slice(0, lineChars - 2)}…`;
}

/** The whole index of some memories, one line each. */
export function renderIndex(memories: readonly Memory[], lineChars: number): string {
  return memories.map((memory) => `${indexLine(memory, lineChars)}\n`).join('');
}

/** Takes an index file up to its limits, whichever comes first; a cut is told in a last line (AUT-3). */
export function loadIndex(file: StoredFile, limits: IndexLimits): LoadedIndex {
  const { lines, bytes, isBinary } = indexFacts(file);
  if (isBinary || lines === 0) return { lines, bytes, text: null, shownLines: 0, cutBy: null, isBinary };
  const { text } = file;
  const isAscii = bytes === text.length;
  let cutBy: LoadedIndex['cutBy'] = null;
  let used = 0;
  const shown: string[] = [];
  for (let from = 0, end = 0; from < text.length && cutBy === null; from = end + 1) {
    end = text.indexOf('\n', from);
    if (end === -1) end = text.length;
    if (end === from) continue;
    const line = text.slice(from, end);
    const size = (isAscii ? line.length : byteLength(line)) + 1;
    if (shown.length === limits.lines) cutBy = 'lines';
    else if (used + size > limits.bytes) cutBy = 'bytes';
    else {
      used += size;
      shown.push(line);
    }
  }
  const shownLines = shown.length;
  if (cutBy !== null) {
    const limit = cutBy === 'lines' ? `${limits.lines} lines` : `${limits.bytes} bytes`;
    shown.push(`[index cut: ${shownLines} of ${lines} lines are shown, the limit is ${limit}]`);
  }
  return { lines, bytes, text: `${shown.join('\n')}\n`, shownLines, cutBy, isBinary };
}
