/** A priority queue by (time, order of entry): equal times leave in the order they came. */
export interface EventQueue<T> {
  readonly size: number;
  push(timeMs: number, item: T): void;
  pop(): { readonly timeMs: number; readonly item: T } | null;
  peekTime(): number | null;
}

interface Slot<T> {
  readonly timeMs: number;
  readonly order: number;
  readonly item: T;
}

function before<T>(a: Slot<T>, b: Slot<T>): boolean {
  return a.timeMs < b.timeMs || (a.timeMs === b.timeMs && a.order < b.order);
}

/** Creates an empty queue (a binary heap). */
export function createEventQueue<T>(): EventQueue<T> {
  const heap: Slot<T>[] = [];
  let order = 0;
  return {
    get size() {
      return heap.length;
    },
    push(timeMs, item) {
      const slot: Slot<T> = { timeMs, order: order++, item };
      let i = heap.length;
      heap.push(slot);
      while (i > 0) {
        const parent = (i - 1) >> 1;
        if (!before(slot, heap[parent]!)) break;
        heap[i] = heap[parent]!;
        i = parent;
      }
      heap[i] = slot;
    },
    pop() {
      const top = heap[0];
      const last = heap.pop();
      if (top === undefined || last === undefined) return null;
      if (heap.length > 0) {
        let i = 0;
        for (;;) {
          let child = 2 * i + 1;
          if (child >= heap.length) break;
          if (child + 1 < heap.length && before(heap[child + 1]!, heap[child]!)) child++;
          if (!before(heap[child]!, last)) break;
          heap[i] = heap[child]!;
          i = child;
        }
        heap[i] = last;
      }
      return { timeMs: top.timeMs, item: top.item };
    },
    peekTime: () => heap[0]?.timeMs ?? null,
  };
}
