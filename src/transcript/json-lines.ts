import { constants, gunzipSync } from 'node:zlib';
import { CcbenchError } from '../base/errors.js';
import type { WarningList } from '../model/warning.js';
import { isObject, type JsonObject } from './narrow.js';

/** One JSON object of a JSONL file with the line it stands on, counted from 1. */
export interface JsonLine {
  readonly line: number;
  readonly value: JsonObject;
}

/** How a file is named in problems, and where warnings go. */
export interface JsonLinesOptions {
  readonly name: string;
  readonly warnings: WarningList;
}

const NEWLINE = 0x0a;
/** Bytes looked at to tell text from binary data. */
const PROBE_BYTES = 8_192;
/** Broken lines named one by one in a warning. */
const NAMED_LINES = 5;
/** Largest unpacked file: one text of V8 holds no more. */
const MAX_UNPACKED_BYTES = 2 ** 31 - 1;

function badFile(name: string, sentence: string, hint: string): CcbenchError {
  return new CcbenchError('bad-transcript', `${name}: ${sentence}`, { hint, place: { file: name } });
}

function gunzip(bytes: Uint8Array, options: JsonLinesOptions): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_UNPACKED_BYTES });
  } catch {
    try {
      const part = gunzipSync(bytes, {
        finishFlush: constants.Z_SYNC_FLUSH,
        maxOutputLength: MAX_UNPACKED_BYTES,
      });
      options.warnings.add(
        'truncated-file',
        `${options.name}: the compressed data ends early; what could be unpacked is used`,
        'copy the file again if the end of the session matters',
      );
      return part;
    } catch (cause) {
      throw new CcbenchError('bad-transcript', `${options.name}: the gzip data cannot be unpacked`, {
        hint: 'check the file with gzip -t, or pass the unpacked file',
        place: { file: options.name },
        cause,
      });
    }
  }
}

/** The bytes of a text file, unpacked when they are gzip; an empty or binary file is an error. */
export function decodeBytes(bytes: Uint8Array, options: JsonLinesOptions): Buffer {
  const packed = bytes[0] === 0x1f && bytes[1] === 0x8b;
  let plain = packed ? gunzip(bytes, options) : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (plain[0] === 0xef && plain[1] === 0xbb && plain[2] === 0xbf) plain = plain.subarray(3);
  if (plain.length === 0) {
    throw badFile(options.name, 'the file is empty', 'pass the .jsonl file of a session that has messages');
  }
  if (plain.subarray(0, PROBE_BYTES).includes(0)) {
    throw badFile(
      options.name,
      'the file is binary data, not JSON lines',
      'pass a .jsonl or .jsonl.gz file in UTF-8',
    );
  }
  return plain;
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

function parseObject(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function parseLine(text: string): readonly JsonObject[] | null {
  const whole = parseObject(text);
  if (whole !== null) return [whole];
  const values: JsonObject[] = [];
  for (const part of splitObjects(text) ?? []) {
    const value = parseObject(part);
    if (value === null) return null;
    values.push(value);
  }
  return values.length === 0 ? null : values;
}

/**
 * The objects of a JSONL file, line by line, split on `\n` alone (U+2028 is text). A line that is not JSON is skipped
 * and reported with its number; a file without one readable line is an error.
 */
export function* readJsonLines(
  bytes: Uint8Array,
  options: JsonLinesOptions,
): Generator<JsonLine, void, void> {
  const { name, warnings } = options;
  const plain = decodeBytes(bytes, options);
  const broken: number[] = [];
  let good = 0;
  let line = 0;
  let start = 0;
  while (start < plain.length) {
    const newline = plain.indexOf(NEWLINE, start);
    const end = newline === -1 ? plain.length : newline;
    const text = plain.toString('utf8', start, end);
    line++;
    start = end + 1;
    if (text.trim() === '') continue;
    const values = parseLine(text);
    if (values !== null) {
      good += values.length;
      for (const value of values) yield { line, value };
    } else if (newline === -1 && good > 0) {
      warnings.add(
        'truncated-file',
        `${name}: the last line (${line}) is incomplete and was left out`,
        'the session was still being written, or the copy was cut short',
      );
    } else broken.push(line);
  }
  if (good === 0) {
    throw badFile(
      name,
      'no line of the file is a JSON object',
      'pass a session file with one JSON object a line',
    );
  }
  if (broken.length > 0) {
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
