import type { Digest } from '../base/digest.js';

/** Shorter lines tell nothing: `return null;`, `else {`. */
const LINE_CHARS = 12;

/** Longer lines are minified code or data: nobody looks for them as a line. */
const LONGEST_LINE = 400;

/** Letters in a row that make a word. Lines without one are rulers and figures. */
const WORD_CHARS = 3;

const [TAB, CARRIAGE_RETURN, SPACE] = [0x09, 0x0d, 0x20];
const [SLASH, ZERO, NINE, SMALL_A, SMALL_Z] = [0x2f, 0x30, 0x39, 0x61, 0x7a];
const CASE_BIT = 0x20;

/** Behind the line numbers that a reader of files shows: an arrow, a tab, `:`, `|` or `-`. */
const BEHIND_NUMBER: ReadonlySet<number> = new Set([0x2192, TAB, 0x3a, 0x7c, 0x2d]);

const OTHER_SPACE = /\s/;

function isSpace(code: number): boolean {
  if (code < 128) return code === SPACE || (code >= TAB && code <= CARRIAGE_RETURN);
  return OTHER_SPACE.test(String.fromCharCode(code));
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

/**
 * Goes through the lines of a text that tell something, without the numbers that a reader of files puts in front and without
 * space around them: `from` and `to` are their places. Paths name things without needing them and are left out. One pass over the
 * characters, which makes no text: regular expressions take three times as long.
 */
export function eachLine(text: string, take: (from: number, to: number) => void): void {
  for (let start = 0; start < text.length; ) {
    const next = text.indexOf('\n', start);
    const end = next === -1 ? text.length : next;
    if (end - start >= LINE_CHARS && end - start <= LONGEST_LINE) {
      const from = firstOf(text, start, end);
      let to = end;
      while (to > from && isSpace(text.charCodeAt(to - 1))) to--;
      if (to - from >= LINE_CHARS && hasWord(text, from, to) && !isPath(text, from, to)) take(from, to);
    }
    start = end + 1;
  }
}

/** Where the text of a line begins. */
function firstOf(text: string, start: number, end: number): number {
  const first = behindSpace(text, start, end);
  let behind = first;
  while (behind < end && isDigit(text.charCodeAt(behind))) behind++;
  if (behind === first || behind === end || !BEHIND_NUMBER.has(text.charCodeAt(behind))) return first;
  return behindSpace(text, behind + 1, end);
}

function behindSpace(text: string, start: number, end: number): number {
  let at = start;
  while (at < end && isSpace(text.charCodeAt(at))) at++;
  return at;
}

function hasWord(text: string, from: number, to: number): boolean {
  let letters = 0;
  for (let i = from; i < to; i++) {
    const small = text.charCodeAt(i) | CASE_BIT;
    letters = small >= SMALL_A && small <= SMALL_Z ? letters + 1 : 0;
    if (letters === WORD_CHARS) return true;
  }
  return false;
}

function isPath(text: string, from: number, to: number): boolean {
  let hasSlash = false;
  for (let i = from; i < to; i++) {
    const code = text.charCodeAt(i);
    if (isSpace(code)) return false;
    hasSlash ||= code === SLASH;
  }
  return hasSlash;
}

/** What more items hold is no longer rare: it does not tell which of them is needed. */
const MOST_HOLDERS = 4;
const COMMON = MOST_HOLDERS + 1;

const FIRST_ROOM = 512;

/**
 * The items that hold each line or identifier, by its digest: open addressing over columns of numbers, since a Map would box every
 * key and make a list for every second one. An entry keeps its number.
 */
export class Holders {
  #size = 0;
  /** Number of an entry, plus 1; 0 is free. */
  #slots = new Int32Array(2 * FIRST_ROOM);
  #keys = new Float64Array(FIRST_ROOM);
  #counts = new Uint8Array(FIRST_ROOM);
  #items = new Int32Array(MOST_HOLDERS * FIRST_ROOM);

  /** The entry of a digest; −1 where nothing holds it. */
  find(key: Digest): number {
    return this.#slots[this.#slotOf(key)]! - 1;
  }

  /** How many items an entry has; 0 where they are too many to tell anything. */
  count(entry: number): number {
    const count = this.#counts[entry]!;
    return count === COMMON ? 0 : count;
  }

  /** An item of an entry by its place, from 0. */
  at(entry: number, place: number): number {
    return this.#items[MOST_HOLDERS * entry + place]!;
  }

  /** The first items of an entry, also where more came since than tell anything. */
  list(entry: number, count: number): number[] {
    return Array.from(this.#items.subarray(MOST_HOLDERS * entry, MOST_HOLDERS * entry + count));
  }

  /** An item holds what has this digest, and maybe an entry. */
  add(key: Digest, entry: number, item: number): void {
    if (entry === -1) {
      if (this.#size === this.#keys.length) this.#grow();
      this.#slots[this.#slotOf(key)] = this.#size + 1;
      this.#keys[this.#size] = key;
      this.#counts[this.#size] = 1;
      this.#items[MOST_HOLDERS * this.#size] = item;
      this.#size++;
      return;
    }
    const count = this.#counts[entry]!;
    if (count === COMMON || this.at(entry, count - 1) === item) return;
    if (count < MOST_HOLDERS) this.#items[MOST_HOLDERS * entry + count] = item;
    this.#counts[entry] = count + 1;
  }

  /** The slot of a digest, or the free one where it belongs. */
  #slotOf(key: Digest): number {
    const slots = this.#slots;
    const keys = this.#keys;
    const mask = slots.length - 1;
    let slot = (key | 0) & mask;
    for (;;) {
      const entry = slots[slot]!;
      if (entry === 0 || keys[entry - 1] === key) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #grow(): void {
    const keys = this.#keys;
    const room = 2 * keys.length;
    this.#keys = new Float64Array(room);
    this.#keys.set(keys);
    const counts = this.#counts;
    this.#counts = new Uint8Array(room);
    this.#counts.set(counts);
    const items = this.#items;
    this.#items = new Int32Array(MOST_HOLDERS * room);
    this.#items.set(items);
    this.#slots = new Int32Array(2 * room);
    for (let entry = 0; entry < keys.length; entry++) this.#slots[this.#slotOf(keys[entry]!)] = entry + 1;
  }
}
