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

/** The sum of what is known, or null when nothing is. */
export function sumKnown(values: readonly (number | null)[]): number | null {
  const known = values.flatMap((value) => value ?? []);
  return known.length === 0 ? null : sum(known);
}

/** a / b, or null when b is zero: a share of nothing is not a number. */
export function ratio(a: number, b: number): number | null {
  return b === 0 ? null : a / b;
}

/** P(|T| ≤ t) of Student's distribution with whole degrees of freedom, by the angle atan(t / √freedom) (Abramowitz & Stegun 26.7.3–4). */
function withinAngle(angle: number, freedom: number): number {
  const cos = Math.cos(angle);
  const isOdd = freedom % 2 === 1;
  let term = isOdd ? cos : 1;
  let series = freedom === 1 ? 0 : term;
  for (let k = isOdd ? 3 : 2; k < freedom; k += 2) {
    term *= ((k - 1) / k) * cos * cos;
    series += term;
  }
  return isOdd ? (2 / Math.PI) * (angle + Math.sin(angle) * series) : Math.sin(angle) * series;
}

/** How many standard errors of a mean cover a share of samples: the two-sided quantile of Student's distribution. */
function studentQuantile(share: number, freedom: number): number {
  let low = 0;
  let high = Math.PI / 2;
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (withinAngle(middle, freedom) < share) low = middle;
    else high = middle;
  }
  return Math.tan((low + high) / 2) * Math.sqrt(freedom);
}

/** Between what a value lies. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** The interval that covers the true mean of such values in a share of samples (Student); null for fewer than two values. */
export function meanInterval(values: readonly number[], share: number): Interval | null {
  if (values.length < 2) return null;
  const middle = mean(values)!;
  const freedom = values.length - 1;
  const variance = sum(values.map((value) => (value - middle) ** 2)) / freedom;
  const reach = studentQuantile(share, freedom) * Math.sqrt(variance / values.length);
  return { low: middle - reach, high: middle + reach };
}
