/** More points than this are thinned before they are drawn. @internal */
export const MAX_POINTS = 2_000;

/**
 * At most `limit` rows (no fewer than four), in their order: the first, the last, and of each stretch between them
 * the row with the smallest and the one with the largest value. Rows are kept whole or not at all.
 */
export function keepExtremes<Row>(
  rows: readonly Row[],
  value: (row: Row) => number,
  limit = MAX_POINTS,
): readonly Row[] {
  if (rows.length <= Math.max(limit, 4)) return rows;
  const stretches = Math.max(1, Math.floor((limit - 2) / 2));
  const inner = rows.length - 2;
  const kept: Row[] = [rows[0]!];
  for (let i = 0; i < stretches; i++) {
    const from = 1 + Math.floor((i * inner) / stretches);
    const to = 1 + Math.floor(((i + 1) * inner) / stretches);
    let low = from;
    let high = from;
    for (let j = from + 1; j < to; j++) {
      if (value(rows[j]!) < value(rows[low]!)) low = j;
      if (value(rows[j]!) > value(rows[high]!)) high = j;
    }
    kept.push(rows[Math.min(low, high)]!);
    if (low !== high) kept.push(rows[Math.max(low, high)]!);
  }
  kept.push(rows.at(-1)!);
  return kept;
}
