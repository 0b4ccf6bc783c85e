import type { Random } from './random.js';

/** The q-quantile (0…1) by linear interpolation, or null when there is nothing to measure. */
export function quantile(values: readonly number[], q: number): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const position = (sorted.length - 1) * q;
  const low = Math.floor(position);
  const high = Math.min(low + 1, sorted.length - 1);
  return sorted[low]! + (sorted[high]! - sorted[low]!) * (position - low);
}

/** The arithmetic mean, or null when there is nothing to measure. */
export function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : sum(values) / values.length;
}

/** The sum in the order given. */
export function sum(values: readonly number[]): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/** a / b, or null when b is zero: a share of nothing is not a number. */
export function ratio(a: number, b: number): number | null {
  return b === 0 ? null : a / b;
}

/** A percentile bootstrap interval of the mean, from a seeded generator; null for fewer than two values. */
export function bootstrapMean(
  values: readonly number[],
  random: Random,
  options: { readonly rounds?: number; readonly level?: number } = {},
): { readonly low: number; readonly high: number } | null {
  if (values.length < 2) return null;
  const rounds = options.rounds ?? 2_000;
  const tail = (1 - (options.level ?? 0.95)) / 2;
  const means: number[] = [];
  for (let i = 0; i < rounds; i++) {
    let total = 0;
    for (let j = 0; j < values.length; j++) total += values[random.integer(0, values.length - 1)]!;
    means.push(total / values.length);
  }
  return { low: quantile(means, tail)!, high: quantile(means, 1 - tail)! };
}
