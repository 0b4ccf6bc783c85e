import { chainDigest, type Digest, digestText } from '../../../core/base/digest.js';
import type { StoredFile } from '../../../core/base/files.js';
import { oncePer } from '../../../core/base/once.js';
import { isBinary, type Memory } from '../../../core/model/memory.js';
import { lazyText, type Text } from '../../../core/model/text.js';
import type { ParamValues } from '../../../core/run/params.js';
import { param } from '../support/param-reader.js';

/** A line of the index with what is known of it. */
interface IndexLine {
  readonly text: string;
  readonly bytes: number;
  readonly isBinary: boolean;
  readonly digest: Digest;
}

/** A line with what is known of it. @internal */
export function knownLine(text: string): IndexLine {
  return { text, bytes: byteLength(text), isBinary: isBinary(text), digest: digestText(text) };
}

/** Bytes of a text in UTF-8. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text);
}

/** An index as a list of lines; its words are joined when somebody reads them. Those that grow from it share its lines. */
export class IndexText implements Text {
  private constructor(
    private readonly all: IndexLine[],
    /** How many of the lines are its own; each has an end. */
    readonly count: number,
    /** What comes after the last line end. */
    private readonly open: IndexLine | null,
    readonly chars: number,
    readonly bytes: number,
    readonly isBinary: boolean,
    /** Lines that are not empty. */
    readonly filled: number,
  ) {}

  static readonly EMPTY = new IndexText([], 0, null, 0, 0, false, 0);

  static parse(text: string): IndexText {
    const lines = text.split('\n').map(knownLine);
    const last = lines.pop()!;
    const open = last.text === '' ? null : last;
    const filled = lines.filter((line) => line.text !== '').length + (open === null ? 0 : 1);
    return new IndexText(lines, lines.length, open, text.length, byteLength(text), isBinary(text), filled);
  }

  /** The index with one more line; an unfinished one goes on with it. */
  with(line: IndexLine): IndexText {
    const { all, count, open } = this;
    if (open !== null) return IndexText.parse(`${this.read()}${line.text}\n`);
    const lines = all.length === count && this !== IndexText.EMPTY ? all : all.slice(0, count);
    lines.push(line);
    return new IndexText(
      lines,
      count + 1,
      null,
      this.chars + line.text.length + 1,
      this.bytes + line.bytes + 1,
      this.isBinary || line.isBinary,
      this.filled + (line.text === '' ? 0 : 1),
    );
  }

  /** The line at a place, the unfinished one behind the others; null beyond the last. */
  lineAt(place: number): IndexLine | null {
    return place < this.count ? this.all[place]! : place === this.count ? this.open : null;
  }

  read(): string {
    let text = '';
    for (let i = 0; i < this.count; i++) text += `${this.all[i]!.text}\n`;
    return text + (this.open?.text ?? '');
  }
}

/** The lines of an index file, read once for each writing of it. */
export function indexTextOf(file: StoredFile): IndexText {
  if (file.content instanceof IndexText) return file.content;
  return parsed(file);
}

const parsed = oncePer((file: StoredFile) => IndexText.parse(file.text));

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
export interface LoadedIndex extends Omit<IndexLine, 'text'> {
  /** What the model sees; null when there is nothing to show. */
  readonly text: Text | null;
  readonly lines: number;
  readonly shownLines: number;
  /** Which limit cut it; null when it is whole. */
  readonly cutBy: 'lines' | 'bytes' | null;
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
