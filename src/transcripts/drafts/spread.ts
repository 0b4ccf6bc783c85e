/** Up to so many weights are looked through again for each number; more are sorted. */
const FEW = 12;

/** The indices of the largest remainders come first; ties in order. */
function byRemainder(left: readonly number[]): number[] {
  return [...left.keys()].sort((a, b) => left[b]! - left[a]! || a - b);
}

/** The index of the largest remainder, the first of equal ones. */
function largest(left: readonly number[]): number {
  let found = 0;
  for (let i = 1; i < left.length; i++) if (left[i]! > left[found]!) found = i;
  return found;
}

/** Whole numbers in proportion to the weights whose sum is exactly the total (largest remainders, ties in order). */
export function spread(total: number, weights: readonly number[]): number[] {
  if (weights.length === 0) return [];
  if (weights.length === 1 && Number.isInteger(total)) return [total];
  let sum = 0;
  for (const weight of weights) sum += weight;
  const whole: number[] = [];
  const left: number[] = [];
  let rest = total;
  for (const weight of weights) {
    const share = sum > 0 ? (total * weight) / sum : total / weights.length;
    const part = Math.floor(share);
    whole.push(part);
    left.push(share - part);
    rest -= part;
  }
  if (rest <= 0) return whole;
  if (weights.length <= FEW && rest < weights.length) {
    for (; rest > 0; rest--) {
      const next = largest(left);
      whole[next]!++;
      left[next] = -1;
    }
    return whole;
  }
  const order = byRemainder(left);
  for (let k = 0; rest > 0; k = (k + 1) % order.length, rest--) whole[order[k]!]!++;
  return whole;
}
