/** Places of labels beside the places they belong to, in the same order, none closer than the gap and none outside. */
export function spreadLabels(
  places: readonly number[],
  { gap, from, to }: { readonly gap: number; readonly from: number; readonly to: number },
): readonly number[] {
  const order = places.map((place, index) => ({ place, index })).sort((a, b) => a.place - b.place);
  let lowest = from;
  for (const item of order) {
    item.place = Math.max(item.place, lowest);
    lowest = item.place + gap;
  }
  let highest = to;
  for (const item of [...order].reverse()) {
    item.place = Math.min(item.place, highest);
    highest = item.place - gap;
  }
  const spread = new Array<number>(places.length);
  for (const { place, index } of order) spread[index] = place;
  return spread;
}
