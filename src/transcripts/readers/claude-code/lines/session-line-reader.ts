import { decodeUtf8, parseBytes, parseObject, type ReadObject } from '../../../lines/json-lines.js';
import { isObject, type JsonObject } from '../../../lines/narrow.js';
import { isForTerminal, PayloadFinder } from './payload-finder.js';

/** Members that every line of a conversation has: a line that lost one of them is read whole. */
const ALWAYS = ['uuid', 'parentUuid', 'isSidechain', 'sessionId', 'version', 'timestamp'] as const;

/** True when a line without its payload has all that is looked at, in what is left of it or in its head. */
function isWhole(value: JsonObject, head: JsonObject): boolean {
  const type = value.type ?? head.type;
  const hasPayload = type === 'progress' || (type === 'user' && isObject(value.message));
  if (!hasPayload) return false;
  for (const key of ALWAYS) if (value[key] === undefined && head[key] === undefined) return false;
  return true;
}

/**
 * Creates a reader of lines that leaves out what only the terminal shows, about half of the bytes of a recording: of a
 * line with such a payload it keeps what comes before it and the plain members that end the line. A key between bare
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

/** Members at the start of lines, the same on many lines of a file. */
interface LineHead {
  readonly members: JsonObject;
  /** The bytes between the line's parent and the value of its last key: `,"isSidechain":false,…,"message":`. */
  readonly bytes: Buffer;
  /** Bytes of the last key with its comma and its colon, which stay with the rest of the line. */
  readonly keyBytes: number;
  /** The last key is the data of progress. */
  readonly isProgress: boolean;
}

const QUOTE = 0x22;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPENING = Buffer.from('{"parentUuid":');
const PARENT = /^\{"parentUuid":"[\w-]*"$/;
/** Longest id of a parent. */
const LONGEST_ID = 64;
const MESSAGE_KEY = Buffer.from(',"message":{');
const DATA_KEY = Buffer.from(',"data":{');
/** Bytes of a line in which its head ends. */
const LONGEST_HEAD = 1_024;
/** Heads that are remembered: lines of users, of responses and of progress take turns. */
const MOST_HEADS = 4;

/** Members that readers look for in lines themselves: no head has one. */
const OWN_MEMBERS = [
  'uuid',
  'parentUuid',
  'timestamp',
  'message',
  'attachment',
  'requestId',
  'effort',
  'origin',
  'isMeta',
  'isApiErrorMessage',
  'isCompactSummary',
  'isVisibleInTranscriptOnly',
  'thinkingMetadata',
  'sourceToolUseID',
] as const;

/** Remembers how the latest lines began. */
class LineHeads {
  readonly #heads: LineHead[] = [];

  /** Where the head of a line begins; -1 when the line does not look as if it began with the id of a parent. */
  static start(bytes: Buffer, start: number, end: number): number {
    const quote = start + OPENING.length;
    if (bytes[quote] !== QUOTE || bytes[quote - 1] !== COLON || bytes[start + 2] !== OPENING[2]) return -1;
    const behind = bytes.indexOf(QUOTE, quote + 1) + 1;
    return behind > quote && behind <= Math.min(end, quote + LONGEST_ID) ? behind : -1;
  }

  /** True when nothing but the id of a parent comes before the head of a line that was not parsed. */
  static isParent(bytes: Buffer, start: number, head: number): boolean {
    return PARENT.test(bytes.toString('latin1', start, head));
  }

  /** True when nothing but the id of a parent comes before the head of a line. */
  static hasParent(line: JsonObject, start: number, head: number): boolean {
    const { parentUuid } = line;
    return typeof parentUuid === 'string' && parentUuid.length === head - start - OPENING.length - 2;
  }

  /** The head that stands at an index; null if it is not one of the latest. */
  find(bytes: Buffer, at: number, end: number): LineHead | null {
    const heads = this.#heads;
    for (let i = 0; i < heads.length; i++) {
      const head = heads[i]!;
      const behind = at + head.bytes.length;
      if (behind >= end || bytes[behind - 1] !== COLON || bytes[behind - head.keyBytes] !== COMMA) continue;
      if (head.bytes.compare(bytes, at, behind) === 0) return head;
    }
    return null;
  }

  /** Remembers the head that stands at an index of a line, if it has one. */
  learn(bytes: Buffer, at: number, end: number): void {
    const window = bytes.subarray(at, Math.min(at + LONGEST_HEAD, end));
    const message = window.indexOf(MESSAGE_KEY);
    const data = window.indexOf(DATA_KEY);
    const isProgress = data !== -1 && (message === -1 || data < message);
    const key = isProgress ? data : message;
    if (key === -1 || window[0] !== COMMA) return;
    const keyBytes = (isProgress ? DATA_KEY : MESSAGE_KEY).length - 1;
    const members = parseObject(`{${window.toString('utf8', 1, Math.max(1, key))}}`);
    if (members === null || isProgress !== (members.type === 'progress')) return;
    if (OWN_MEMBERS.some((name) => name in members)) return;
    const head = { members, bytes: Buffer.from(window.subarray(0, key + keyBytes)), keyBytes, isProgress };
    if (this.#heads.unshift(head) > MOST_HEADS) this.#heads.pop();
  }
}

/** What a line shares with no other. */
export const NO_MEMBERS: JsonObject = Object.freeze({});
/** A line of progress of which nothing is looked at. */
export const IDLE_LINE: JsonObject = Object.freeze({ type: 'progress' });
/** Keys of one of which the plain members behind the data of progress begin. */
const PROGRESS_KEYS = [',"toolUseID":"', ',"parentToolUseID":"'] as const;
const PROGRESS_TAIL = /(?:,"(?:toolUseID|parentToolUseID|uuid|timestamp)":"[ !#-[\]-~]*"){2,4}\}$/y;
/** Longest stretch of plain members behind the data of progress. */
const TAIL_BYTES = 320;

/**
 * Reads the lines of a session file in order. Most lines begin like one before them: what they share is parsed once and
 * left out of their objects, as is what only the terminal shows.
 */
export class SessionLineReader {
  /** The members that were left out of the latest line because an earlier one has the same. */
  head: JsonObject = NO_MEMBERS;
  readonly #payload = new PayloadFinder();
  readonly #readLine = createLineReader(this.#payload);
  readonly #heads = new LineHeads();
  readonly #isIdle: (head: JsonObject) => boolean;

  /** Lines of progress whose heads are idle need not be distinguished. */
  constructor(isIdle: (head: JsonObject) => boolean) {
    this.#isIdle = isIdle;
  }

  read(buffer: Buffer, start: number, end: number): JsonObject | null {
    this.head = NO_MEMBERS;
    const at = LineHeads.start(buffer, start, end);
    const head = at === -1 ? null : this.#heads.find(buffer, at, end);
    const rest = head === null ? null : this.#readRest(head, buffer, start, at, end);
    if (rest !== null) {
      this.head = head!.members;
      return rest;
    }
    const whole = this.#readLine(buffer, start, end);
    if (whole !== null && at !== -1 && head === null) this.#heads.learn(buffer, at, end);
    return whole;
  }

  /** The line without its head; null when that is not as expected. */
  #readRest(head: LineHead, buffer: Buffer, start: number, at: number, end: number): JsonObject | null {
    const behind = at + head.bytes.length;
    if (head.isProgress) {
      const isIdle =
        this.#isIdle(head.members) &&
        isForTerminal(buffer, behind, end) &&
        LineHeads.isParent(buffer, start, at) &&
        this.#hasIdleEnd(buffer, behind, end);
      return isIdle ? IDLE_LINE : null;
    }
    const parent = buffer.toString('utf8', start, at);
    const key = behind - head.keyBytes;
    if (!this.#payload.findResult(buffer, key, end)) {
      const value = parseObject(parent + decodeUtf8(buffer, key, end));
      return value !== null && LineHeads.hasParent(value, start, at) ? value : null;
    }
    const { from, to } = this.#payload;
    if (from === -1) return null;
    const value = parseObject(parent + decodeUtf8(buffer, key, from) + decodeUtf8(buffer, to, end));
    if (value === null || !LineHeads.hasParent(value, start, at)) return null;
    return isWhole(value, head.members) ? value : null;
  }

  /** True when a line of progress ends with nothing but ids and its time. */
  #hasIdleEnd(buffer: Buffer, behind: number, end: number): boolean {
    const tail = buffer.toString('latin1', Math.max(behind, end - TAIL_BYTES), end);
    const at = Math.min(tail.lastIndexOf(PROGRESS_KEYS[0]), tail.lastIndexOf(PROGRESS_KEYS[1]));
    if (at === -1) return false;
    PROGRESS_TAIL.lastIndex = at;
    return PROGRESS_TAIL.test(tail) && this.#payload.isAlone(buffer, behind, end);
  }
}
