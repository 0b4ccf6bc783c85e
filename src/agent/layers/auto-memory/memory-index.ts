import { chainDigest, type Digest, digestText } from '../../../core/base/digest.js';
import type { StoredFile } from '../../../core/base/files.js';
import type { Memory } from '../../../core/model/memory.js';
import { lazyText, type Text } from '../../../core/model/text.js';
import type { ParamValues } from '../../../core/run/params.js';
import { param } from '../support/param-reader.js';
import { type IndexLine, type IndexText, indexTextOf, knownLine } from './index-text.js';

/** Limits of the index (AUT-3). */
export interface IndexLimits {
  readonly lines: number;
  readonly bytes: number;
  /** A line stays below this. */
  readonly lineChars: number;
}

/** What of the index enters the system prompt, from the parameters. */
export function indexLimits(params: ParamValues): IndexLimits {
  return {
    lines: param.number(params, 'autoMemory.indexLines'),
    bytes: param.number(params, 'autoMemory.indexBytes'),
    lineChars: param.number(params, 'autoMemory.lineChars'),
  };
}

/** The index as it enters the system prompt. */
export interface LoadedIndex {
  /** What the model sees; null when there is nothing to show. */
  readonly text: Text | null;
  readonly digest: Digest;
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

/** Lines that were made before: the same memory is found again with each replay of a session. */
const LINES = new WeakMap<Memory, { readonly lineChars: number; readonly line: IndexLine }>();

/** The line of a memory in the index, made once. */
export function indexLineOf(memory: Memory, lineChars: number): IndexLine {
  let known = LINES.get(memory);
  if (known?.lineChars !== lineChars) {
    known = { lineChars, line: knownLine(indexLine(memory, lineChars)) };
    LINES.set(memory, known);
  }
  return known.line;
}

/** The whole index of some memories, one line each. */
export function renderIndex(memories: readonly Memory[], lineChars: number): string {
  return memories.map((memory) => `${indexLine(memory, lineChars)}\n`).join('');
}

/** Takes an index file up to its limits, whichever comes first; a last line says what was cut (AUT-3). */
export function loadIndex(file: StoredFile, limits: IndexLimits): LoadedIndex {
  const index = indexTextOf(file);
  const { filled: lines, bytes, isBinary } = index;
  if (isBinary || lines === 0)
    return { lines, bytes, text: null, digest: INDEX_SALT, shownLines: 0, cutBy: null, isBinary };
  const { shown, chars, digest, cutBy } = firstLines(index, limits);
  const shownLines = shown.length;
  if (cutBy === null) {
    const text = lazyText(chars, () => joined(shown));
    return { lines, bytes, text, digest, shownLines, cutBy, isBinary };
  }
  const limit = cutBy === 'lines' ? `${limits.lines} lines` : `${limits.bytes} bytes`;
  const last = `[index cut: ${shownLines} of ${lines} lines are shown, the limit is ${limit}]\n`;
  const text = lazyText(chars + last.length, () => joined(shown) + last);
  return { lines, bytes, text, digest: digestText(last, digest), shownLines, cutBy, isBinary };
}

const INDEX_SALT = digestText('memory index');

function joined(lines: readonly IndexLine[]): string {
  return lines.map(({ text }) => `${text}\n`).join('');
}

/** The lines that fit, and the limit that keeps the others out. */
function firstLines(
  index: IndexText,
  limits: IndexLimits,
): {
  readonly shown: readonly IndexLine[];
  readonly chars: number;
  readonly digest: Digest;
  readonly cutBy: LoadedIndex['cutBy'];
} {
  const shown: IndexLine[] = [];
  let used = 0;
  let chars = 0;
  let digest = INDEX_SALT;
  for (let i = 0; ; i++) {
    const line = index.lineAt(i);
    if (line === null) return { shown, chars, digest, cutBy: null };
    if (line.text === '') continue;
    if (shown.length === limits.lines) return { shown, chars, digest, cutBy: 'lines' };
    used += line.bytes + 1;
    if (used > limits.bytes) return { shown, chars, digest, cutBy: 'bytes' };
    shown.push(line);
    chars += line.text.length + 1;
    digest = chainDigest(digest, line.digest);
  }
}
