import { type Markable, type MetricAxis, splitRanked } from './sweep-point.js';

/** A setting with its two values. */
interface ParetoPoint extends Markable {
  readonly x: number;
  readonly y: number;
}

/** The ranked points that no other one equals or beats in both values while beating it in one, by x. */
export function paretoFront<Point extends ParetoPoint>(
  points: readonly Point[],
  better: { readonly x: MetricAxis['better']; readonly y: MetricAxis['better'] },
): readonly Point[] {
  const signX = better.x === 'higher' ? -1 : 1;
  const signY = better.y === 'higher' ? -1 : 1;
  const sorted = [...splitRanked(points)[0]].sort((a, b) => signX * (a.x - b.x) || signY * (a.y - b.y));
  const front: Point[] = [];
  let record = Number.POSITIVE_INFINITY;
  let recordX: number | null = null;
  for (const point of sorted) {
    const y = signY * point.y;
    if (y < record || (y === record && point.x === recordX)) front.push(point);
    if (y < record) {
      record = y;
      recordX = point.x;
    }
  }
  return front.sort((a, b) => a.x - b.x);
}
