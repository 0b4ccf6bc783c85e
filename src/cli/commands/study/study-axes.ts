import { paramSpecs } from '../../../agent/policies/catalogue.js';
import { ownValue } from '../../../core/base/own-value.js';
import { findMetric } from '../../../metrics/registry.js';
import type { NamedChart } from '../../../report/charts/chart-spec.js';
import { type ParetoPoint, paretoFront } from '../../../report/charts/pareto.js';
import type { MetricAxis } from '../../../report/charts/sweep-point.js';
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

/** The metric that stands for how much the model still sees. */
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
    return x === null || y === null ? [] : [{ label: item.point.set.join(', '), x, y, item }];
  });
  const front = paretoFront(usable, { x: better, y: 'higher' });
  return front.map((point) => usable.find((candidate) => candidate.label === point.label)!.item);
}

/** What is set against the cost: what the model still sees, and what it misses, down to the fewest faults of any choice. */
const AGAINST_COST = [
  { chart: 'cost-against-kept', metric: 'contentRetention', least: null },
  { chart: 'cost-against-faults', metric: 'faultsNone', least: 'faultsLeast' },
] as const;

/** Cost against each of these, where rows have different values of both and some are ranked. */
export async function costCharts(
  rows: readonly {
    readonly label: string;
    readonly metrics: MetricRecord;
    readonly completeness: VariantCompleteness;
  }[],
  subtitle: string,
): Promise<readonly NamedChart[]> {
  const { pareto } = await import('../../../report/charts/pareto.js');
  return AGAINST_COST.flatMap(({ chart, metric, least }) => {
    const points = rows.flatMap(({ label, metrics, completeness }): readonly ParetoPoint[] => {
      const { costUsd, [metric]: other } = metrics;
      if (costUsd == null || other == null) return [];
      const bound = least === null ? null : (metrics[least] ?? null);
      return [
        {
          label,
          x: costUsd,
          y: other,
          ...(bound === null ? {} : { least: bound }),
          ...pointMark(completeness),
        },
      ];
    });
    const isFlat = [points.map(({ x }) => x), points.map(({ y }) => y)].some(
      (values) => new Set(values).size < 2,
    );
    if (isFlat || points.every(({ mark }) => mark !== undefined)) return [];
    const [x, y] = [metricAxis('costUsd'), metricAxis(metric)];
    return [{ name: chart, spec: pareto({ x, y, points, subtitle }) }];
  });
}
