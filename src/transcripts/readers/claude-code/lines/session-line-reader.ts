import { decodeUtf8, parseObject } from '../../../lines/json-lines.js';
import type { JsonObject } from '../../../lines/narrow.js';
import { type LineHead, LineHeads } from './line-head.js';
import { createLineReader, isWhole } from './line-reader.js';
import { isForTerminal, PayloadFinder } from './payload-finder.js';

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
