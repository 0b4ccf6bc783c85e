import { formatDecimal, formatValue } from '../../../core/base/format.js';
import type { StudyAxis } from '../../page-data/page-data.js';
import { linearScale, niceTicks, type Scale, short } from '../widgets/scale.js';

/** An axis begins at zero if its smallest value is at most this part of the largest. */
const NEAR_ZERO = 0.5;

/** The fewest ticks that show the scale of an axis. */
const LEAST_TICKS = 2;

/** A value of an axis in words. */
export function axisText({ unit, names }: StudyAxis, value: number): string {
  if (names !== undefined) return names[value] ?? '';
  return unit === null ? formatDecimal(value, 3) : formatValue(value, unit);
}

/** A tick in few figures. */
export function tickText({ unit, names }: StudyAxis, value: number): string {
  if (names !== undefined) return names[value] ?? '';
  if (unit === 'share') return `${formatDecimal(value * 100, 1)}%`;
  if (unit === 'usd') return `${value < 0 ? '−' : ''}$${formatDecimal(Math.abs(value), 4)}`;
  return Math.abs(value) >= 1_000 ? short(value) : formatDecimal(value, 4);
}

/** Where values lie in a chart of points. */
export type PointScale = Pick<Scale, 'px'>;

/** A scale from values to pixels, over their logarithms where the axis asks for it. */
export function scaleOf(
  axis: StudyAxis,
  [from, to]: readonly [number, number],
  px: readonly [number, number],
): PointScale {
  if (axis.scale === 'linear') return linearScale([from, to], px);
  const inner = linearScale([Math.log10(from), Math.log10(to)], px);
  return { px: (value) => inner.px(Math.log10(value)) };
}

/** Where an axis has its ticks: every name or every nth, round numbers, or powers of ten. */
export function ticksOf(
  { scale, names }: StudyAxis,
  from: number,
  to: number,
  wanted: number,
): readonly number[] {
  if (names !== undefined) {
    const step = Math.max(1, Math.ceil(names.length / wanted));
    return names.flatMap((_name, i) => (i % step === 0 ? [i] : []));
  }
  if (scale === 'linear') {
    const few = niceTicks(from, to, wanted);
    return few.length >= LEAST_TICKS ? few : niceTicks(from, to, wanted * 2);
  }
  const powers = niceTicks(Math.ceil(Math.log10(from)), Math.floor(Math.log10(to)), wanted)
    .filter(Number.isInteger)
    .map((power) => 10 ** power);
  return powers.length >= 2 ? powers : [from, to];
}

/** The part of an axis that holds all values, with room at the ends. */
export function spanOf(
  values: readonly number[],
  axis: StudyAxis,
  from: 'zero' | 'least',
): readonly [number, number] {
  if (axis.names !== undefined) return [-0.5, axis.names.length - 0.5];
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (axis.scale === 'log') return low === high ? [low / 2, high * 2] : [low / 1.15, high * 1.15];
  const room = (high - low) * 0.06 || Math.abs(high) * 0.1 || 1;
  return [from === 'zero' && low >= 0 && low <= high * NEAR_ZERO ? 0 : low - room, high + room];
}
