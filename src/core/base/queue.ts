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
