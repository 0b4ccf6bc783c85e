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
