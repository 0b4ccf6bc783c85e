/** Points within this factor of the smallest value are fitted. */
const BAND = 1.05;
const MIN_POINTS = 4;

/** The smallest value of a smooth curve through noisy points. */
export interface FittedMinimum {
  readonly x: number;
  readonly y: number;
  readonly points: number;
}

/**
 * Where a parabola through the points near the smallest value has its own: over ln x when `scale` is log. Null when the
 * points do not hold one inside.
 */
export function fitMinimum(
  points: readonly { readonly x: number; readonly y: number }[],
  scale: 'linear' | 'log',
): FittedMinimum | null {
  const usable = points.filter(({ x, y }) => Number.isFinite(y) && (scale === 'linear' || x > 0));
  const lowest = usable.reduce<{ x: number; y: number } | null>(
    (best, point) => (best === null || point.y < best.y ? point : best),
    null,
  );
  if (lowest === null) return null;
  const near = usable.filter(({ y }) => y <= lowest.y + Math.abs(lowest.y) * (BAND - 1));
  if (near.length < MIN_POINTS) return null;
  const place = (x: number): number => (scale === 'log' ? Math.log(x / lowest.x) : x - lowest.x);
  const places = near.map(({ x }) => place(x));
  const span = Math.max(...places.map(Math.abs));
  if (span === 0) return null;
  const sums = [0, 0, 0, 0, 0];
  const values = [0, 0, 0];
  near.forEach(({ y }, i) => {
    let power = 1;
    for (let k = 0; k < 5; k++) {
      sums[k]! += power;
      if (k < 3) values[k]! += power * (y - lowest.y);
      power *= places[i]! / span;
    }
  });
  const [s0, s1, s2, s3, s4] = sums as [number, number, number, number, number];
  const [t0, t1, t2] = values as [number, number, number];
  const base = s0 * (s2 * s4 - s3 * s3) - s1 * (s1 * s4 - s2 * s3) + s2 * (s1 * s3 - s2 * s2);
  if (base === 0) return null;
  const a = (t0 * (s2 * s4 - s3 * s3) - s1 * (t1 * s4 - s3 * t2) + s2 * (t1 * s3 - s2 * t2)) / base;
  const b = (s0 * (t1 * s4 - s3 * t2) - t0 * (s1 * s4 - s3 * s2) + s2 * (s1 * t2 - t1 * s2)) / base;
  const c = (s0 * (s2 * t2 - t1 * s3) - s1 * (s1 * t2 - t1 * s2) + t0 * (s1 * s3 - s2 * s2)) / base;
  if (!(c > 0)) return null;
  const best = -b / (2 * c);
  const scaled = places.map((value) => value / span);
  if (best <= Math.min(...scaled) || best >= Math.max(...scaled)) return null;
  const x = scale === 'log' ? lowest.x * Math.exp(best * span) : lowest.x + best * span;
  return { x, y: lowest.y + a - (b * b) / (4 * c), points: near.length };
}
