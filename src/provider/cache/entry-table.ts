import type { Digest } from '../../core/base/digest.js';

/** Slots a table starts with; always a power of two. */
const FIRST_SLOTS = 256;

/**
 * Cache entries by key: open addressing over columns of numbers. A look-up is a few reads of memory, where a Map of objects
 * would box the key and follow two pointers. Keys are digests; 0 marks a free slot.
 */
export class EntryTable {
  readyAtMs: Float64Array;
  expiresAtMs: Float64Array;
  ttlMs: Float64Array;
  /** Entries held. */
  size: number;
  private keys: Float64Array;
  private mask: number;

  /** An empty table, or one that holds the entries of another. */
  constructor(other: EntryTable | null = null) {
    this.keys = other === null ? new Float64Array(FIRST_SLOTS) : other.keys.slice();
    this.readyAtMs = other === null ? new Float64Array(FIRST_SLOTS) : other.readyAtMs.slice();
    this.expiresAtMs = other === null ? new Float64Array(FIRST_SLOTS) : other.expiresAtMs.slice();
    this.ttlMs = other === null ? new Float64Array(FIRST_SLOTS) : other.ttlMs.slice();
    this.mask = this.keys.length - 1;
    this.size = other === null ? 0 : other.size;
  }

  /** Slot of a key, or −1. */
  find(key: Digest): number {
    const { keys, mask } = this;
    let slot = (key | 0) & mask;
    for (;;) {
      const held = keys[slot]!;
      if (held === key) return key === 0 ? -1 : slot;
      if (held === 0) return -1;
      slot = (slot + 1) & mask;
    }
  }

  /** Adds an entry whose key is not there yet. */
  add(key: Digest, readyAtMs: number, expiresAtMs: number, ttlMs: number): void {
    if (2 * (this.size + 1) > this.keys.length) this.rebuild(this.keys.length * 2, Number.NEGATIVE_INFINITY);
    this.put(key, readyAtMs, expiresAtMs, ttlMs);
  }

  /** Drops the entries that expired before a time. */
  dropBefore(timeMs: number): void {
    this.rebuild(this.keys.length, timeMs);
  }

  clear(): void {
    this.keys.fill(0);
    this.size = 0;
  }

  private put(key: Digest, readyAtMs: number, expiresAtMs: number, ttlMs: number): void {
    let slot = (key | 0) & this.mask;
    while (this.keys[slot] !== 0) slot = (slot + 1) & this.mask;
    this.keys[slot] = key;
    this.readyAtMs[slot] = readyAtMs;
    this.expiresAtMs[slot] = expiresAtMs;
    this.ttlMs[slot] = ttlMs;
    this.size++;
  }

  private rebuild(slots: number, aliveAfterMs: number): void {
    const { keys, readyAtMs, expiresAtMs, ttlMs } = this;
    this.keys = new Float64Array(slots);
    this.readyAtMs = new Float64Array(slots);
    this.expiresAtMs = new Float64Array(slots);
    this.ttlMs = new Float64Array(slots);
    this.mask = slots - 1;
    this.size = 0;
    for (let i = 0; i < keys.length; i++) {
      if (keys[i] !== 0 && expiresAtMs[i]! >= aliveAfterMs)
        this.put(keys[i]!, readyAtMs[i]!, expiresAtMs[i]!, ttlMs[i]!);
    }
  }
}
