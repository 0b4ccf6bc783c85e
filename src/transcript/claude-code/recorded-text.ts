import { CcbenchError } from '../../base/errors.js';
import type { Text } from '../../model/text.js';
import type { LinePlace } from '../json-lines.js';
import type { JsonObject } from '../narrow.js';
import { createLineReader } from './line-reader.js';
import { textOfPart } from './part-text.js';

/** Bytes of a recording that can be read again, at any offset. */
export interface TextSource {
  read(offset: number, length: number): Uint8Array;
}

/** A source over bytes at hand. */
export function memorySource(bytes: Uint8Array): TextSource {
  return { read: (offset, length) => bytes.subarray(offset, offset + length) };
}

/** The texts of one session file, read again from its lines; the latest line is remembered. */
export class FileTexts {
  /** The file's name, which stands for its source in compiled transcripts. */
  readonly name: string;
  readonly #source: TextSource;
  readonly #readLine = createLineReader();
  #offset = -1;
  #line: JsonObject | null = null;

  constructor(name: string, source: TextSource) {
    this.name = name;
    this.#source = source;
  }

  /** The text of one part of a line; it must be as long as it was when the file was first read. */
  read(place: LinePlace, part: number, chars: number): string {
    const line = this.#offset === place.offset ? this.#line : this.#parse(place);
    const text = line === null ? null : textOfPart(line, part);
    if (text === null || text.length !== chars) {
      throw new CcbenchError('file-unreadable', `${this.name} changed while it was in use`, {
        hint: 'run the command again, on a copy if the session is still being written',
        place: { file: this.name },
      });
    }
    return text;
  }

  #parse({ offset, length }: LinePlace): JsonObject | null {
    const bytes = this.#source.read(offset, length);
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#offset = offset;
    this.#line = this.#readLine(buffer, 0, buffer.length);
    return this.#line;
  }
}

/** A text that stays in its file until somebody reads it. */
export class RecordedText implements Text {
  readonly chars: number;
  readonly #file: FileTexts;
  readonly #offset: number;
  readonly #length: number;
  readonly #part: number;

  constructor(file: FileTexts, place: LinePlace, part: number, chars: number) {
    this.chars = chars;
    this.#file = file;
    this.#offset = place.offset;
    this.#length = place.length;
    this.#part = part;
  }

  get file(): FileTexts {
    return this.#file;
  }

  get offset(): number {
    return this.#offset;
  }

  get length(): number {
    return this.#length;
  }

  /** Which content block of its line it is, from 0. */
  get part(): number {
    return this.#part;
  }

  read(): string {
    return this.#file.read({ offset: this.#offset, length: this.#length }, this.#part, this.chars);
  }
}
