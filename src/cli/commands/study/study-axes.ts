import { paramSpecs } from '../../../agent/policies/catalogue.js';
import { ownValue } from '../../../core/base/own-value.js';
import { findMetric } from '../../../metrics/registry.js';
import { DISTINCT, distinctColor } from '../../../report/charts/palette.js';
import { paretoFront } from '../../../report/charts/pareto.js';
import { axisTitle, type MetricAxis } from '../../../report/charts/sweep-point.js';
import type { StudyAxis, StudyChart, StudySeries } from '../../../report/page-data/page-data.js';
import { metricWords } from '../../../report/text/metric-words.js';
import type { VariantCompleteness } from '../../../study/completeness.js';
import type { MetricRecord } from '../../../study/job.js';
import type { SweptPoint } from '../../../study/run-rows.js';
import type { Axis } from '../../../study/vary.js';

/** A metric as an axis of a chart, in words. */
export function metricAxis(name: string): MetricAxis {
  const { unit, better } = findMetric(name)!;
  return { name: metricWords(name), unit, better };
}

/** The mark of a point that takes no part in the ranking. */
function pointMark({ standing }: VariantCompleteness): { readonly mark?: 'unranked' } {
  return standing === 'ranked' ? {} : { mark: 'unranked' };
}

/** How far points came: nothing is best in it, and there is nothing to show where all came as far. */
const COMPLETION = new Set(['finishedShare', 'callsLost']);

/** True for a metric that says how far points came. */
export function isCompletion(metric: string): boolean {
  return COMPLETION.has(metric);
}

/** An axis with its unit. */
export function axisOf({ path }: Axis) {
  return { name: path, unit: paramSpecs().find((spec) => spec.path === path)?.unit ?? null };
}

/** True for an axis of numbers. */
export function isNumeric(axis: Axis): boolean {
  return axis.values.every((value) => Number.isFinite(Number(value)));
}

/** The mark of a point beside a line: points over different sessions are not ranked, but finished. */
export function lineMark(completeness: VariantCompleteness): { readonly mark?: 'unranked' } {
  return completeness.unfinished.length === 0 ? {} : pointMark(completeness);
}

/** The metric of how much the model still sees. */
export const KEPT = 'contentRetention';

/** The points that none beats in both a metric and the content that is kept. */
export function frontOf<Item extends Pick<SweptPoint, 'point' | 'metrics'>>(
  items: readonly Item[],
  metric: string,
  better: 'lower' | 'higher',
): readonly Item[] {
  const usable = items.flatMap((item) => {
    const x = ownValue(item.metrics, metric) ?? null;
    const y = item.metrics[KEPT] ?? null;
    return x === null || y === null ? [] : [{ x, y, item }];
  });
  return paretoFront(usable, { x: better, y: 'higher' }).map(({ item }) => item);
}

/** What the model still sees, and what it misses, down to the fewest faults of any choice. */
const AGAINST = [
  { name: 'kept', metric: KEPT, least: null, words: 'what the model still sees' },
  {
    name: 'faults',
    metric: 'faultsNone',
    least: 'faultsLeast',
    words: 'what the model misses (lines: down to the least of any choice)',
  },
] as const;

/** A row of a table with what it is called in a chart. */
interface TradeoffRow {
  readonly label: string;
  readonly row: number;
  readonly metrics: MetricRecord;
  readonly completeness: VariantCompleteness;
}

/** A metric as an axis of a page's chart. */
export function valueAxis(metric: string): StudyAxis {
  const axis = metricAxis(metric);
  return { title: axisTitle(axis), unit: axis.unit, scale: 'linear' };
}

/**
 * A metric against what the model still sees and against what it misses, where rows have different values of both and some are ranked.
 * Rows that none beats in both have labels, which `meaning` explains.
 */
export function tradeoffCharts(
  rows: readonly TradeoffRow[],
  metric: string,
  meaning = '',
  beside: (against: string) => readonly StudySeries[] = () => [],
): readonly StudyChart[] {
  const { better } = metricAxis(metric);
  return AGAINST.flatMap(({ name, metric: against, least, words }) => {
    if (metric === against) return [];
    const points = rows.flatMap(({ label, row, metrics, completeness }) => {
      const [x, y] = [ownValue(metrics, metric) ?? null, metrics[against] ?? null];
      const low = least === null ? null : (metrics[least] ?? null);
      if (x === null || y === null) return [];
      return [{ x, y, row, label, ...(low === null ? {} : { low, high: y }), ...pointMark(completeness) }];
    });
    const isFlat = [points.map(({ x }) => x), points.map(({ y }) => y)].some(
      (values) => new Set(values).size < 2,
    );
    if (isFlat || points.every(({ mark }) => mark !== undefined)) return [];
    const front = paretoFront(points, { x: better, y: metricAxis(against).better });
    const beaten = points.filter((point) => !front.includes(point));
    const series: readonly StudySeries[] = [
      ...beside(against),
      {
        name: 'beaten by another',
        color: DISTINCT.orange,
        drawn: 'dots',
        points: beaten.map(({ label: _label, ...point }) => point),
      },
      { name: `beaten by none in both${meaning}`, color: distinctColor(0), drawn: 'line', points: front },
    ];
    return [
      {
        name: `${metric === 'costUsd' ? 'cost' : metric}-against-${name}`,
        title: `${metric === 'costUsd' ? 'What it costs' : metricWords(metric)}, and ${words}`,
        x: valueAxis(metric),
        y: valueAxis(against),
        series: series.filter((own) => own.points.length > 0),
      },
    ];
  });
}
