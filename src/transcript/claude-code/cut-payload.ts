import { decodeUtf8 } from '../json-lines.js';

/** A copy of the tool's result for the terminal; the model's copy is in the message. */
const RESULT_KEY = Buffer.from(',"toolUseResult":');
/** What a running tool shows; such lines carry nothing for the model. */
const PROGRESS_KEY = Buffer.from('"type":"progress","data":');
const DATA_KEY_BYTES = ',"data":'.length;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const SPACE = 0x20;

const EACH_QUOTE = 0x22222222;
const EACH_BACKSLASH = 0x5c5c5c5c;
const EACH_ONE = 0x01010101;
const EACH_TOP = 0x80808080 | 0;

/** The bytes of one buffer, also as words. */
interface Bytes {
  readonly buffer: Buffer;
  readonly words: DataView;
}

/** The index behind a string whose opening quote is at `from`: four bytes at a time where none of them is special. */
function skipString({ buffer, words }: Bytes, from: number, end: number): number {
  let i = from + 1;
  const last = end - 4;
  while (i <= last) {
    const word = words.getInt32(i, true);
    const quote = word ^ EACH_QUOTE;
    const slash = word ^ EACH_BACKSLASH;
    const found = (((quote - EACH_ONE) & ~quote) | ((slash - EACH_ONE) & ~slash)) & EACH_TOP;
    if (found === 0) i += 4;
    else {
      i += (31 - Math.clz32(found & -found)) >> 3;
      if (buffer[i] === QUOTE) return i + 1;
      i += 2;
    }
  }
  while (i < end) {
    const byte = buffer[i]!;
    if (byte === QUOTE) return i + 1;
    i += byte === BACKSLASH ? 2 : 1;
  }
  return end + 1;
}

/**
 * Walks over JSON from inside so many brackets until the depth falls to a level; the index behind the closing bracket,
 * or a number above `end` when it does not.
 */
function skipTo(bytes: Bytes, from: number, end: number, depth: number): number {
  const { buffer } = bytes;
  let open = depth;
  let i = from;
  while (i < end) {
    const byte = buffer[i]!;
    if (byte === QUOTE) {
      i = skipString(bytes, i, end);
      continue;
    }
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) open++;
    else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --open === 0) return i + 1;
    i++;
  }
  return end + 1;
}

function skipValue(bytes: Bytes, from: number, end: number): number {
  const { buffer } = bytes;
  const first = buffer[from]!;
  if (first === QUOTE) return skipString(bytes, from, end);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return skipTo(bytes, from + 1, end, 1);
  let i = from;
  while (i < end && buffer[i] !== COMMA && buffer[i] !== CLOSE_BRACE) i++;
  return i;
}

/** True when the line's object, and nothing deeper, is still open at `from`, and the line ends with it. */
function isTopLevel(bytes: Bytes, from: number, end: number): boolean {
  const { buffer } = bytes;
  if (buffer[from] !== COMMA && buffer[from] !== CLOSE_BRACE) return false;
  let i = skipTo(bytes, from, end, 1);
  while (i < end && buffer[i]! <= SPACE) i++;
  return i === end;
}

/** Finds one key in the lines of a buffer without looking at any byte twice. */
class KeyFinder {
  readonly #key: Buffer;
  #buffer: Buffer | null = null;
  #next = -1;

  constructor(key: Buffer) {
    this.#key = key;
  }

  /** The index behind the key in a stretch; -1 when it is not there. */
  find(buffer: Buffer, start: number, end: number): number {
    if (buffer !== this.#buffer) {
      this.#buffer = buffer;
      this.#next = -1;
    }
    if (this.#next < start) {
      const found = buffer.indexOf(this.#key, start);
      this.#next = found === -1 ? buffer.length : found;
    }
    const behind = this.#next + this.#key.length;
    return behind <= end ? behind : -1;
  }
}

/**
 * Decodes lines without the payloads that only the terminal shows, about half of the bytes of a recording. A key between
 * bare quotes is never inside a text; it is cut out only where it belongs to the line's own object. Lines of one buffer
 * must come in order.
 */
export function createPayloadCutter(): (buffer: Buffer, start: number, end: number) => string {
  const results = new KeyFinder(RESULT_KEY);
  const progress = new KeyFinder(PROGRESS_KEY);
  let bytes: Bytes | null = null;
  return (buffer, start, end) => {
    let value = results.find(buffer, start, end);
    let key = RESULT_KEY.length;
    if (value === -1) {
      value = progress.find(buffer, start, end);
      key = DATA_KEY_BYTES;
    }
    if (value === -1) return decodeUtf8(buffer, start, end);
    if (bytes?.buffer !== buffer) {
      bytes = { buffer, words: new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength) };
    }
    const behind = skipValue(bytes, value, end);
    return behind < end && isTopLevel(bytes, behind, end)
      ? decodeUtf8(buffer, start, value - key) + decodeUtf8(buffer, behind, end)
      : decodeUtf8(buffer, start, end);
  };
}
