/** Whole numbers in proportion to the weights whose sum is exactly the total (largest remainders, ties in order). */
export function spread(total: number, weights: readonly number[]): number[] {
  if (weights.length === 0) return [];
  if (weights.length === 1 && Number.isInteger(total)) return [total];
  let sum = 0;
  for (const weight of weights) sum += weight;
  const shares = weights.map((weight) => (sum > 0 ? (total * weight) / sum : total / weights.length));
  const whole = shares.map(Math.floor);
  let rest = total;
  for (const part of whole) rest -= part;
  const order = shares
    .map((share, i) => ({ i, left: share - whole[i]! }))
    .sort((a, b) => b.left - a.left || a.i - b.i);
  for (let k = 0; rest > 0; k = (k + 1) % order.length, rest--) whole[order[k]!.i]!++;
  return whole;
}
