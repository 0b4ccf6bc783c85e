import { isBinary, type Memory } from '../../model/memory.js';

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

const encoder = new TextEncoder();

/** Bytes of a text in UTF-8. */
export function byteLength(text: string): number {
  return encoder.encode(text).length;
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

/** Takes the index up to its limits, whichever comes first; a cut is told in a last line (AUT-3). */
export function loadIndex(text: string, limits: IndexLimits): LoadedIndex {
  const bytes = byteLength(text);
  const lines = text.split('\n').filter((line) => line !== '');
  const told = { lines: lines.length, bytes };
  if (isBinary(text)) return { ...told, text: null, shownLines: 0, cutBy: null, isBinary: true };
  if (lines.length === 0) return { ...told, text: null, shownLines: 0, cutBy: null, isBinary: false };
  let cutBy: LoadedIndex['cutBy'] = lines.length > limits.lines ? 'lines' : null;
  const shown: string[] = [];
  let used = 0;
  for (const line of lines.slice(0, limits.lines)) {
    const size = byteLength(line) + 1;
    if (used + size > limits.bytes) {
      cutBy = 'bytes';
      break;
    }
    used += size;
    shown.push(line);
  }
  if (cutBy !== null) {
    const limit = cutBy === 'lines' ? `${limits.lines} lines` : `${limits.bytes} bytes`;
    shown.push(`[index cut: ${shown.length} of ${lines.length} lines are shown, the limit is ${limit}]`);
  }
  const shownLines = cutBy === null ? shown.length : shown.length - 1;
  return { ...told, text: `${shown.join('\n')}\n`, shownLines, cutBy, isBinary: false };
}
