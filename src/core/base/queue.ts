/** What was used last, as much as there is room for: what was used longest ago goes first. */
export class Recent<Key, Value> {
  readonly #entries = new Map<Key, { readonly value: Value; readonly size: number }>();
  #size = 0;

  /** `room` is a number of entries, or the sum of the sizes that they are given. */
  constructor(private readonly room: number) {}

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** Keeps a value; one alone is kept whatever its size. */
  set(key: Key, value: Value, size = 1): void {
    this.#size += size - (this.#entries.get(key)?.size ?? 0);
    this.#entries.delete(key);
    this.#entries.set(key, { value, size });
    for (const [oldest, entry] of this.#entries) {
      if (this.#size <= this.room || oldest === key) break;
      this.#entries.delete(oldest);
      this.#size -= entry.size;
    }
  }
}

/** A queue by time: equal times leave in the order they came. */
export class EventQueue<T> {
  /** The last to leave first. */
  private readonly slots: { readonly timeMs: number; readonly item: T }[] = [];

  push(timeMs: number, item: T): void {
    let low = 0;
    let high = this.slots.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.slots[middle]!.timeMs > timeMs) low = middle + 1;
      else high = middle;
    }
    this.slots.splice(low, 0, { timeMs, item });
  }

  pop(): { readonly timeMs: number; readonly item: T } | null {
    return this.slots.pop() ?? null;
  }

  peekTime(): number | null {
    return this.slots.at(-1)?.timeMs ?? null;
  }
}
