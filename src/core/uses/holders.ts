import type { Digest } from '../base/digest.js';

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
