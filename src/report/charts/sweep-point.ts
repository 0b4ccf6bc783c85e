import { formatValue, type MetricUnit } from '../../core/base/format.js';
import { ownValue } from '../../core/base/own-value.js';
import { LIGHT } from './palette.js';

/** An axis of a sweep: a parameter or a metric. */
export interface SweepAxis {
  readonly name: string;
  /** What the numbers count; null if they count nothing. */
  readonly unit: string | null;
}

/** A metric as an axis, with the direction that is better. */
export interface MetricAxis extends SweepAxis {
  readonly unit: MetricUnit;
  readonly better: 'lower' | 'higher' | null;
}

/** Whether a point takes part in the ranking: one under which fewer calls were answered than elsewhere does not. */
export interface Markable {
  readonly mark?: 'unranked';
}

/** The points that are ranked, and those that are only shown. */
export function splitRanked<Row extends Markable>(
  rows: readonly Row[],
): readonly [readonly Row[], readonly Row[]] {
  return [rows.filter(({ mark }) => mark === undefined), rows.filter(({ mark }) => mark !== undefined)];
}

/** The subtitle of a chart, with the meaning of its crosses where it has any. */
export function subtitleWith(subtitle: string, unranked: number): string {
  if (unranked === 0) return subtitle;
  return `${subtitle} · ×: not ranked, calls went unanswered (${unranked})`;
}

/** The mark of points that are not ranked. */
export const UNRANKED_MARK = {
  type: 'point',
  shape: 'M-1,-1L1,1M-1,1L1,-1',
  size: 60,
  strokeWidth: 2,
  color: LIGHT.muted,
  opacity: 1,
} as const;

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
  if (unit === 'share') return '.4~p';
  if (unit === 'usd') return '$,~r';
  return unit === 'tokens' ? '~s' : ',~r';
}

/** The title of an axis with its unit. */
export function axisTitle({ name, unit }: SweepAxis): string {
  const word = unit !== null && Object.hasOwn(UNIT_WORDS, unit) ? ownValue(UNIT_WORDS, unit) : unit;
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
