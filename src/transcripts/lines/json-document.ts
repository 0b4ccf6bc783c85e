import { CcbenchError } from '../../core/base/errors.js';
import { decodeBytes, type JsonLinesOptions, parseObject, streamJsonLines } from './json-lines.js';
import { isObject, type JsonObject } from './narrow.js';

/** The JSON value that a whole file is; one that was cut short is an error. */
export function parseDocument(bytes: Uint8Array, options: JsonLinesOptions): unknown {
  const text = decodeBytes(bytes, options).toString('utf8');
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new CcbenchError('bad-transcript', `${options.name}: the file is not complete JSON`, {
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
