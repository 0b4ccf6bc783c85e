import type { Digest } from './digest.js';

/** Slots a set starts with; always a power of two. */
const FIRST_SLOTS = 1_024;

/** Many digests: open addressing over one column of numbers, a third of what a Set of boxed numbers takes. */
export class DigestSet {
  /** 0 is a free slot; the digest 0 is told apart. */
  #slots = new Float64Array(FIRST_SLOTS);
  #size = 0;
  #hasZero = false;

  has(digest: Digest): boolean {
    return digest === 0 ? this.#hasZero : this.#slots[this.#slotOf(digest)] === digest;
  }

  add(digest: Digest): void {
    if (digest === 0) {
      this.#hasZero = true;
      return;
    }
    const slot = this.#slotOf(digest);
    if (this.#slots[slot] === digest) return;
    this.#slots[slot] = digest;
    if (4 * ++this.#size > 3 * this.#slots.length) this.#grow();
  }

  /** The slot of a digest, or the free one where it belongs. */
  #slotOf(digest: Digest): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = (digest | 0) & mask;
    while (slots[slot] !== 0 && slots[slot] !== digest) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Float64Array(2 * before.length);
    for (const digest of before) if (digest !== 0) this.#slots[this.#slotOf(digest)] = digest;
  }
}
