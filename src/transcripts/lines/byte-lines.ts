import { CcbenchError } from '../../core/base/errors.js';

/** One line of a file as bytes; the buffer is only good until the next line is asked for. */
export interface ByteLine {
  readonly buffer: Buffer;
  readonly start: number;
  readonly end: number;
  /** Where the line starts in the file. */
  readonly offset: number;
  /** False for a last line without its line feed. */
  readonly complete: boolean;
}

const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf] as const;
/** First size of the buffer for lines that reach over chunks. */
const CARRY_BYTES = 65_536;

/** Longest line: it is parsed in one piece. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;

/** Collects the parts of a line that reaches over several chunks. */
class Carry {
  #buffer = Buffer.alloc(0);
  length = 0;

  constructor(private readonly name: string) {}

  add(bytes: Buffer): void {
    const wanted = this.length + bytes.length;
    if (wanted > MAX_LINE_BYTES) {
      throw new CcbenchError('bad-input', `${this.name}: a line of the file is longer than 256 MiB`, {
        hint: 'pass a file with one JSON object a line',
        place: { file: this.name },
      });
    }
    if (wanted > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(
        Math.max(CARRY_BYTES, wanted, Math.min(MAX_LINE_BYTES, 2 * this.#buffer.length)),
      );
      this.#buffer.copy(larger, 0, 0, this.length);
      this.#buffer = larger;
    }
    bytes.copy(this.#buffer, this.length);
    this.length = wanted;
  }

  take(): Buffer {
    const bytes = this.#buffer.subarray(0, this.length);
    this.length = 0;
    return bytes;
  }
}

function startsWithMark(bytes: Buffer): boolean {
  return BYTE_ORDER_MARK.every((byte, i) => bytes[i] === byte);
}

/** A line that stands alone in its buffer. */
function wholeLine(bytes: Buffer, offset: number, complete: boolean): ByteLine {
  const start = offset === 0 && startsWithMark(bytes) ? BYTE_ORDER_MARK.length : 0;
  return { buffer: bytes, start, end: bytes.length, offset: offset + start, complete };
}

/** The lines of a file that comes in chunks, without a byte order mark. A chunk may be overwritten once the next one is asked for. */
export function* splitLines(chunks: Iterable<Uint8Array>, name: string): Generator<ByteLine, void, void> {
  const carry = new Carry(name);
  let offset = 0;
  for (const chunk of chunks) {
    const buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let start = 0;
    if (carry.length > 0) {
      const newline = buffer.indexOf(NEWLINE);
      carry.add(newline === -1 ? buffer : buffer.subarray(0, newline));
      if (newline === -1) {
        offset += buffer.length;
        continue;
      }
      const at = offset + newline - carry.length;
      yield wholeLine(carry.take(), at, true);
      start = newline + 1;
    } else if (offset === 0 && startsWithMark(buffer)) start = BYTE_ORDER_MARK.length;
    for (;;) {
      const newline = buffer.indexOf(NEWLINE, start);
      if (newline === -1) break;
      yield { buffer, start, end: newline, offset: offset + start, complete: true };
      start = newline + 1;
    }
    if (start < buffer.length) carry.add(buffer.subarray(start));
    offset += buffer.length;
  }
  if (carry.length > 0) {
    const at = offset - carry.length;
    yield wholeLine(carry.take(), at, false);
  }
}
