/** Something that happened at a time and weighs something. */
export interface Weighed {
  readonly atMs: number;
  readonly weighted: number;
}

/** A window by the items in it, which are those from `first` up to and with `last`. */
export interface WindowSpan {
  /** Its end is the time of its last item; what happened a whole length before that has left it. */
  readonly endMs: number;
  readonly first: number;
  readonly last: number;
  readonly weighted: number;
}

/** The window that ends with each item, by the last item of each time. Items are in the order of time. */
export function windowsOf(items: readonly Weighed[], lengthMs: number): readonly WindowSpan[] {
  const found: WindowSpan[] = [];
  let first = 0;
  let weighted = 0;
  for (const [last, { atMs: endMs, weighted: own }] of items.entries()) {
    weighted += own;
    for (; items[first]!.atMs <= endMs - lengthMs; first++) weighted -= items[first]!.weighted;
    if (items[last + 1]?.atMs !== endMs) found.push({ endMs, first, last, weighted });
  }
  return found;
}

/** The items within a window that ends at any moment. */
export function itemsAt<T extends { readonly atMs: number }>(
  items: readonly T[],
  endMs: number,
  lengthMs: number,
): readonly T[] {
  return items.filter(({ atMs }) => atMs <= endMs && atMs > endMs - lengthMs);
}

/** The fullest windows that have no item in common, the fullest first; of equal ones that with more items, then the earlier. */
export function fullestOf(windows: readonly WindowSpan[], most: number): readonly WindowSpan[] {
  const items = ({ first, last }: WindowSpan): number => last - first;
  const ranked = [...windows].sort(
    (a, b) => b.weighted - a.weighted || items(b) - items(a) || a.endMs - b.endMs,
  );
  const found: WindowSpan[] = [];
  for (const window of ranked) {
    if (found.length === most) break;
    if (found.every(({ first, last }) => window.last < first || window.first > last)) found.push(window);
  }
  return found;
}
