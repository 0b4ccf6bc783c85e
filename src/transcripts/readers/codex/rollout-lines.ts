import { parseBytes } from '../../lines/json-lines.js';
import type { JsonObject } from '../../lines/narrow.js';

/** A line of which nothing is looked at. */
const IDLE_LINE: JsonObject = Object.freeze({});
/** Bytes of a line in which its type and that of its payload stand. */
const HEAD_BYTES = 160;
const HEAD = /^\{"timestamp":"[^"\\]*",(?:"ordinal":\d+,)?"type":"(\w+)","payload":\{(?:"type":"(\w+)")?/;
const NEXT_OBJECT = Buffer.from('}{"timestamp":');
const CLOSING = 0x7d;

/** Lines that tell of the conversation. */
const LINES: ReadonlySet<string> = new Set([
  'session_meta',
  'response_item',
  'turn_context',
  'compacted',
  'token_usage_record',
]);

/** Events that tell what no other line does: the others repeat content for the terminal. */
const EVENTS: ReadonlySet<string> = new Set([
  'token_count',
  'task_started',
  'turn_started',
  'task_complete',
  'turn_complete',
  'turn_aborted',
  'thread_rolled_back',
]);

/** True for a line that a reader need not parse: whole, alone, and only for the terminal. */
function isIdle(buffer: Buffer, start: number, end: number): boolean {
  if (buffer[end - 1] !== CLOSING) return false;
  const head = HEAD.exec(buffer.toString('latin1', start, Math.min(end, start + HEAD_BYTES)));
  if (head === null) return false;
  const [, type, event] = head;
  const isLookedAt = type === 'event_msg' ? event === undefined || EVENTS.has(event) : LINES.has(type!);
  return !isLookedAt && !buffer.subarray(start, end).includes(NEXT_OBJECT);
}

/** Reads a line of a rollout; what only the terminal shows, a third of the bytes, is not parsed. */
export function readRolloutLine(buffer: Buffer, start: number, end: number): JsonObject | null {
  return isIdle(buffer, start, end) ? IDLE_LINE : parseBytes(buffer, start, end);
}
