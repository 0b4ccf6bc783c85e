import { isAscii, isUtf8, transcode } from 'node:buffer';
import * as zlib from 'node:zlib';
import { CcbenchError } from '../../core/base/errors.js';
import { createWarnings, type WarningList } from '../../core/run/warning.js';
import { type ByteLine, splitLines } from './byte-lines.js';
import { isObject, type JsonObject } from './narrow.js';

/** One JSON object of a JSONL file with the line it is on, counted from 1. */
export interface JsonLine {
  readonly line: number;
  readonly value: JsonObject;
}

/** A JSON object with where its bytes lie in the file; null when they cannot be found again. */
export interface LocatedLine extends JsonLine {
  readonly place: LinePlace | null;
}

/** Where an object of a file lies, in bytes. */
export interface LinePlace {
  readonly offset: number;
  readonly length: number;
}

/** How a file is named in problems, and where warnings go. */
export interface JsonLinesOptions {
  readonly name: string;
  readonly warnings: WarningList;
}

/** Reads the object of a line; a format may leave out what it never looks at. Null when there is no object. */
export type ReadObject = (buffer: Buffer, start: number, end: number) => JsonObject | null;

/** Bytes looked at to tell text from binary data. */
const PROBE_BYTES = 8_192;
/** Broken lines named one by one in a warning. */
const NAMED_LINES = 5;
/** Largest packed file, unpacked: it is held in memory whole, and a few KB of a bomb unpack to as many GB. */
const MAX_UNPACKED_BYTES = 268_435_456;

function badFile(name: string, sentence: string, hint: string): CcbenchError {
  return new CcbenchError('bad-transcript', `${name}: ${sentence}`, { hint, place: { file: name } });
}

/** How a packed file is recognised and unpacked. */
interface Packing {
  readonly name: 'gzip' | 'zstd';
  readonly magic: readonly number[];
  readonly unpack: (bytes: Uint8Array, part: 'whole' | 'start') => Buffer;
}

/** Unpacks zstd, where this Node can: from 22.15 and 23.8 on. */
type UnpackZstd = (
  bytes: Uint8Array,
  options: { readonly maxOutputLength: number; readonly finishFlush?: number },
) => Buffer;
const { zstdDecompressSync } = zlib as unknown as { readonly zstdDecompressSync?: UnpackZstd };
/** `ZSTD_e_flush`: what has been unpacked so far is given out. */
const ZSTD_FLUSH = 1;

const PACKINGS: readonly Packing[] = [
  {
    name: 'gzip',
    magic: [0x1f, 0x8b],
    unpack: (bytes, part) =>
      zlib.gunzipSync(bytes, {
        maxOutputLength: MAX_UNPACKED_BYTES,
        ...(part === 'start' ? { finishFlush: zlib.constants.Z_SYNC_FLUSH } : {}),
      }),
  },
  {
    name: 'zstd',
    magic: [0x28, 0xb5, 0x2f, 0xfd],
    unpack: (bytes, part) =>
      zstdDecompressSync!(bytes, {
        maxOutputLength: MAX_UNPACKED_BYTES,
        ...(part === 'start' ? { finishFlush: ZSTD_FLUSH } : {}),
      }),
  },
];

function unpack(bytes: Uint8Array, packing: Packing, options: JsonLinesOptions): Buffer {
  if (packing.name === 'zstd' && zstdDecompressSync === undefined) {
    throw new CcbenchError('not-supported', `${options.name}: this Node cannot unpack zstd`, {
      hint: 'unpack the file with zstd -d, or run ccbench with Node 22.15, 23.8 or later',
      place: { file: options.name },
    });
  }
  try {
    return packing.unpack(bytes, 'whole');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      throw badFile(
        options.name,
        `the ${packing.name} data is larger than 256 MiB when unpacked`,
        'unpack it and pass the plain file, which is read piece by piece',
      );
    }
    try {
      const part = packing.unpack(bytes, 'start');
      options.warnings.add(
        'truncated-file',
        `${options.name}: the compressed data ends early; what could be unpacked is used`,
        'copy the file again if the end of the session matters',
      );
      return part;
    } catch (cause) {
      throw new CcbenchError(
        'bad-transcript',
        `${options.name}: the ${packing.name} data cannot be unpacked`,
        {
          hint: `check the file with ${packing.name} -t, or pass the unpacked file`,
          place: { file: options.name },
          cause,
        },
      );
    }
  }
}

/** How a file that begins like this is packed; four bytes tell. */
export function packingOf(head: Uint8Array): Packing | undefined {
  return PACKINGS.find(({ magic }) => magic.every((byte, i) => head[i] === byte));
}

/** The bytes of a file, unpacked when they are gzip or zstd. */
export function unpackBytes(bytes: Uint8Array, options: JsonLinesOptions): Buffer {
  const packing = packingOf(bytes);
  return packing === undefined
    ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : unpack(bytes, packing, options);
}

function emptyFile(name: string): CcbenchError {
  return badFile(name, 'the file is empty', 'pass the .jsonl file of a session that has messages');
}

function binaryFile(name: string): CcbenchError {
  return badFile(name, 'the file is binary data, not JSON lines', 'pass a .jsonl or .jsonl.gz file in UTF-8');
}

/** The bytes of a text file, unpacked when they are packed; an empty or binary file is an error. */
export function decodeBytes(bytes: Uint8Array, options: JsonLinesOptions): Buffer {
  let plain = unpackBytes(bytes, options);
  if (plain[0] === 0xef && plain[1] === 0xbb && plain[2] === 0xbf) plain = plain.subarray(3);
  if (plain.length === 0) throw emptyFile(options.name);
  if (plain.subarray(0, PROBE_BYTES).includes(0)) throw binaryFile(options.name);
  return plain;
}

/** Bytes of a packed file that are unpacked for a look at its beginning. */
const PACKED_HEAD_BYTES = 65_536;

/** The beginning of a file: of packed data no more is unpacked than a look takes. */
export function decodeHead(bytes: Uint8Array, name: string): Buffer {
  const start = packingOf(bytes) === undefined ? bytes : bytes.subarray(0, PACKED_HEAD_BYTES);
  return decodeBytes(start, { name, warnings: createWarnings() });
}

/** Stretches shorter than this are decoded in one step, whatever they hold. */
const SHORT_BYTES = 512;

/** Text of a stretch of UTF-8. Longer ones beyond ASCII go by way of UTF-16, which takes half the time. */
export function decodeUtf8(buffer: Buffer, start: number, end: number): string {
  if (end - start < SHORT_BYTES) return buffer.toString('utf8', start, end);
  const bytes = buffer.subarray(start, end);
  if (isAscii(bytes)) return buffer.toString('latin1', start, end);
  return isUtf8(bytes) ? transcode(bytes, 'utf8', 'utf16le').toString('utf16le') : bytes.toString('utf8');
}

/** Passes chunks on; zero bytes near the start are an error. */
function* probed(chunks: Iterable<Uint8Array>, name: string): Generator<Uint8Array, void, void> {
  let left = PROBE_BYTES;
  for (const chunk of chunks) {
    if (left > 0 && chunk.subarray(0, left).includes(0)) throw binaryFile(name);
    left -= chunk.length;
    yield chunk;
  }
}

/** The top-level objects of a line that holds several, or null when it is not a row of objects. */
function splitObjects(text: string): readonly string[] | null {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (quoted) {
      if (c === 0x5c) i++;
      else if (c === 0x22) quoted = false;
    } else if (c === 0x22) quoted = true;
    else if (c === 0x7b) depth++;
    else if (c === 0x7d && --depth === 0) {
      parts.push(text.slice(start, i + 1));
      start = i + 1;
    }
    if (depth < 0) return null;
  }
  return depth === 0 && !quoted && text.slice(start).trim() === '' ? parts : null;
}

/** The object that a text is; null if it is not one. */
export function parseObject(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** The object that a stretch of bytes is; null if it is not one. */
export function parseBytes(buffer: Buffer, start: number, end: number): JsonObject | null {
  return parseObject(decodeUtf8(buffer, start, end));
}

/** The objects of a line that is not one object: several in a row, each with its place. */
function parseRow({ buffer, start, end, offset }: ByteLine): readonly Omit<LocatedLine, 'line'>[] | null {
  const text = decodeUtf8(buffer, start, end);
  const values: Omit<LocatedLine, 'line'>[] = [];
  let at = 0;
  for (const part of splitObjects(text) ?? []) {
    const value = parseObject(part);
    if (value === null) return null;
    const length = Buffer.byteLength(part);
    const isExact = decodeUtf8(buffer, start + at, start + at + length) === part;
    values.push({ value, place: isExact ? { offset: offset + at, length } : null });
    at += length;
  }
  return values.length === 0 ? null : values;
}

/** Counts what was read, and says at the end what was not. */
class LineTally {
  readonly #options: JsonLinesOptions;
  readonly #broken: number[] = [];
  good = 0;
  line = 0;
  bytes = 0;

  constructor(options: JsonLinesOptions) {
    this.#options = options;
  }

  /** A line that could not be parsed. */
  unread(complete: boolean): void {
    if (complete || this.good === 0) {
      this.#broken.push(this.line);
      return;
    }
    this.#options.warnings.add(
      'truncated-file',
      `${this.#options.name}: the last line (${this.line}) is incomplete and was left out`,
      'the session was still being written, or the copy was cut short',
    );
  }

  finish(): void {
    const { name, warnings } = this.#options;
    if (this.bytes === 0) throw emptyFile(name);
    if (this.good === 0) {
      throw badFile(
        name,
        'no line of the file is a JSON object',
        'pass a session file with one JSON object a line',
      );
    }
    const broken = this.#broken;
    if (broken.length === 0) return;
    const named = broken.slice(0, NAMED_LINES).join(', ');
    const more = broken.length > NAMED_LINES ? ` and ${broken.length - NAMED_LINES} more` : '';
    warnings.add(
      'broken-lines',
      `${name}: not JSON and skipped: line ${named}${more}`,
      'the calls on those lines are missing from the replay',
      broken.length,
    );
  }
}

/**
 * The objects of a JSONL file that comes in chunks, line by line, split on `\n` alone (U+2028 is text). A line that is
 * not JSON is skipped and reported with its number; a file without one readable line is an error.
 */
export function* streamJsonLines(
  chunks: Iterable<Uint8Array>,
  options: JsonLinesOptions & { readonly read?: ReadObject },
): Generator<LocatedLine, void, void> {
  const read = options.read ?? parseBytes;
  const tally = new LineTally(options);
  for (const bytes of splitLines(probed(chunks, options.name), options.name)) {
    const { buffer, start, end, offset, complete } = bytes;
    const line = ++tally.line;
    tally.bytes += end - start + Number(complete);
    if (start === end) continue;
    const value = read(buffer, start, end);
    if (value !== null) {
      tally.good++;
      yield { line, value, place: { offset, length: end - start } };
      continue;
    }
    if (decodeUtf8(buffer, start, end).trim() === '') continue;
    const row = parseRow(bytes);
    if (row === null) tally.unread(complete);
    else {
      tally.good += row.length;
      for (const each of row) yield { line, ...each };
    }
  }
  tally.finish();
}

/** The JSON value that a whole file is; one that was cut short is an error. */
export function parseDocument(bytes: Uint8Array, options: JsonLinesOptions): unknown {
  const text = decodeBytes(bytes, options).toString('utf8');
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new CcbenchError('bad-transcript', `${options.name}: the file is not valid JSON, or is truncated`, {
      hint: 'the session was still being written, or the copy was cut short: copy the file again',
      place: { file: options.name },
      cause,
    });
  }
}

/** The objects of a file that is one JSON object, a list of them, or has one a line. */
export function parseRecords(bytes: Uint8Array, options: JsonLinesOptions): readonly JsonObject[] {
  const plain = decodeBytes(bytes, options);
  const text = plain.toString('utf8').trim();
  if (text.startsWith('[')) {
    const value = parseDocument(bytes, options);
    return Array.isArray(value) ? value.filter(isObject) : [];
  }
  const whole = parseObject(text);
  if (whole !== null) return [whole];
  return [...streamJsonLines([plain], options)].map(({ value }) => value);
}

/** Lines of a head that are looked at. */
const PROBED_LINES = 20;

/** The objects among the first lines of a file; a line that the head cuts off is none. */
export function headLines(head: string): readonly JsonObject[] {
  return head
    .split('\n', PROBED_LINES)
    .map(parseObject)
    .filter((value) => value !== null);
}
