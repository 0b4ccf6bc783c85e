import { type Digest, digestText } from '../../../core/base/digest.js';
import type { StoredFile } from '../../../core/base/files.js';
import { oncePer } from '../../../core/base/once.js';
import { isBinary } from '../../../core/model/memory.js';
import type { Text } from '../../../core/model/text.js';

/** A line of the index with what is known of it. */
export interface IndexLine {
  readonly text: string;
  readonly bytes: number;
  readonly isBinary: boolean;
  readonly digest: Digest;
}

/** A line with what is known of it. */
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
    /** What stands behind the last line end. */
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
