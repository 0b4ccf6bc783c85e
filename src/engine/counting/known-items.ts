/** Searches that are made one by one before a set is worth it. */
const FEW = 48;

/**
 * Tells whether things are among some others. What is asked for mostly stands there in the same order, so each search begins
 * behind the last find; only when many are not to be found there, a set is made.
 */
export class KnownItems<T> {
  private next = 0;
  private searches = 0;
  private set: ReadonlySet<T> | null = null;

  constructor(private readonly items: readonly T[]) {}

  has(item: T): boolean {
    if (this.items[this.next] === item) {
      this.next++;
      return true;
    }
    if (this.set !== null) return this.set.has(item);
    if (++this.searches > FEW) this.set = new Set(this.items);
    const place = this.items.indexOf(item);
    if (place !== -1) this.next = place + 1;
    return place !== -1;
  }
}
