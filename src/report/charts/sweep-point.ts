import type { MetricUnit } from '../../metrics/metric.js';
import { formatValue } from '../format.js';

/** An axis of a sweep: a parameter or a metric. */
export interface SweepAxis {
  readonly name: string;
  /** What the numbers count; null where they count nothing. */
  readonly unit: string | null;
}

/** A metric as an axis, with the direction that is better. */
export interface MetricAxis extends SweepAxis {
  readonly unit: MetricUnit;
  readonly better: 'lower' | 'higher' | null;
}

const UNIT_WORDS: Readonly<Record<MetricUnit, string | null>> = {
  tokens: 'tokens',
  usd: 'US dollars',
  share: 'share',
  ratio: 'ratio',
  count: null,
  ms: 'ms',
  hours: 'hours',
};

/** The format of an axis that counts a unit. */
export function unitFormat(unit: MetricUnit): string {
  if (unit === 'share') return '.0%';
  if (unit === 'usd') return '$,~r';
  return unit === 'tokens' ? '~s' : ',~r';
}

/** The title of an axis with its unit. */
export function axisTitle({ name, unit }: SweepAxis): string {
  const word = unit !== null && Object.hasOwn(UNIT_WORDS, unit) ? UNIT_WORDS[unit as MetricUnit] : unit;
  return word === null ? name : `${name} (${word})`;
}

/** The best of the rows, or null when no direction is better or nothing has a value. */
export function bestOf<Row>(
  rows: readonly Row[],
  value: (row: Row) => number | null,
  better: MetricAxis['better'],
): Row | null {
  if (better === null) return null;
  let best: Row | null = null;
  for (const row of rows) {
    const now = value(row);
    if (now === null) continue;
    const record = best === null ? null : value(best);
    if (record === null || (better === 'lower' ? now < record : now > record)) best = row;
  }
  return best;
}

/** `costUsd $12.30`: a value under its name. */
export function metricPhrase(axis: MetricAxis, value: number): string {
  return `${axis.name} ${formatValue(value, axis.unit)}`;
}
