import { decodeUtf8, parseBytes, parseObject, type ReadObject } from '../../../lines/json-lines.js';
import { isObject, type JsonObject } from '../../../lines/narrow.js';
import { PayloadFinder } from './payload-finder.js';

/** Members that every line of a conversation has: a line that lost one of them is read whole. */
const ALWAYS = ['uuid', 'parentUuid', 'isSidechain', 'sessionId', 'version', 'timestamp'] as const;

/** True when a line without its payload has all that is looked at, in what is left of it or in its head. */
export function isWhole(value: JsonObject, head: JsonObject): boolean {
  const type = value.type ?? head.type;
  const hasPayload = type === 'progress' || (type === 'user' && isObject(value.message));
  if (!hasPayload) return false;
  for (const key of ALWAYS) if (value[key] === undefined && head[key] === undefined) return false;
  return true;
}

/**
 * Creates a reader of lines that leaves out what only the terminal shows, about half of the bytes of a recording: of a
 * line with such a payload it keeps what stands before it and the plain members that end the line. A key between bare
 * quotes is never inside a text; where it belongs to a deeper object, what is left is not JSON. Then, or when something
 * is missing, the line is read whole.
 */
export function createLineReader(payload = new PayloadFinder()): ReadObject {
  return (buffer, start, end) => {
    payload.find(buffer, start, end);
    const { from, to } = payload;
    if (from === -1) return parseBytes(buffer, start, end);
    const value = parseObject(decodeUtf8(buffer, start, from) + decodeUtf8(buffer, to, end));
    return value !== null && isWhole(value, value) ? value : parseBytes(buffer, start, end);
  };
}
