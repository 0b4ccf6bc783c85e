import { CcbenchError } from '../../../core/base/errors.js';
import type { Text } from '../../../core/model/text.js';
import type { LinePlace } from '../../lines/json-lines.js';
import type { JsonObject } from '../../lines/narrow.js';
import { isRolloutLine, textOfRolloutPart } from '../codex/response-items.js';
import { textOfPart } from './lines/part-text.js';
import { createLineReader } from './lines/session-line-reader.js';

/** Bytes of a recording that can be read again, at any offset. */
export interface TextSource {
  read(offset: number, length: number): Uint8Array;
}

/** A source over bytes at hand. */
export function memorySource(bytes: Uint8Array): TextSource {
  return { read: (offset, length) => bytes.subarray(offset, offset + length) };
}

/** Characters of texts that were read and are kept: replays of one session read the same ones again. */
const KEPT_CHARS = 1_000_000;
/** More parts than any line has. */
const MOST_PARTS = 4_096;

/** Whether texts are kept from the first reading on, as far as there is room, or read again where somebody wants them. */
export type TextPlace = 'at-hand' | 'in-file';

/** The texts of one session file, read again from its lines; the latest line and the latest texts are remembered. */
export class FileTexts {
  /** The file's name, which stands for its source in compiled transcripts. */
  readonly name: string;
  readonly #source: TextSource;
  readonly #readLine = createLineReader();
  /** Texts by place and part, the latest used last. */
  readonly #kept = new Map<number, string>();
  #keptChars = 0;
  #offset = -1;
  #line: JsonObject | null = null;

  constructor(
    name: string,
    source: TextSource,
    private readonly place: TextPlace = 'in-file',
  ) {
    this.name = name;
    this.#source = source;
  }

  /** A text on the first reading. */
  note({ offset }: LinePlace, part: number, text: string): void {
    if (this.place === 'at-hand' && part < MOST_PARTS) this.#keep(offset * MOST_PARTS + part, text);
  }

  /** The text of one part of a line; it must be as long as it was when the file was first read. */
  read(place: LinePlace, part: number, chars: number): string {
    const key = place.offset * MOST_PARTS + part;
    const kept = part < MOST_PARTS ? this.#kept.get(key) : undefined;
    if (kept !== undefined) {
      this.#kept.delete(key);
      this.#kept.set(key, kept);
      return kept;
    }
    const line = this.#offset === place.offset ? this.#line : this.#parse(place);
    const text =
      line === null ? null : isRolloutLine(line) ? textOfRolloutPart(line, part) : textOfPart(line, part);
    if (text === null || text.length !== chars) {
      throw new CcbenchError('file-unreadable', `${this.name} changed while it was in use`, {
        hint: 'run the command again, on a copy if the session is still being written',
        place: { file: this.name },
      });
    }
    if (part < MOST_PARTS) this.#keep(key, text);
    return text;
  }

  #keep(key: number, text: string): void {
    const isAtHand = this.place === 'at-hand';
    // Whoever goes through all texts would find none left if the latest took the place of the others.
    if (isAtHand && this.#keptChars + text.length > KEPT_CHARS) return;
    this.#kept.set(key, text);
    this.#keptChars += text.length;
    if (isAtHand) return;
    for (const [oldest, unused] of this.#kept) {
      if (this.#keptChars <= KEPT_CHARS) return;
      this.#kept.delete(oldest);
      this.#keptChars -= unused.length;
    }
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
