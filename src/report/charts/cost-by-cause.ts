import { formatMoney } from '../../core/base/format.js';
import type { LogEntry } from '../../core/run/run-log.js';
import type { LeftOut } from '../page-data/run-sample.js';
import { type ChartSpec, chartSpec } from './chart-spec.js';
import { type CostPoint, type CostSeries, causePhrase, costSeries } from './cost-series.js';
import { keepExtremes } from './keep-extremes.js';
import { causeColors } from './palette.js';
import { runSeries, runSubtitle, shortShare } from './run-series.js';
import { inUnit, type TimeUnit, timeUnit } from './time-unit.js';

const NANO = 1e9;

function titleOf({ causes, points }: CostSeries): string {
  const last = points.at(-1);
  if (last === undefined || last.total === 0) return 'Cost by cause: nothing was paid';
  let largest = 0;
  for (let i = 1; i < causes.length; i++) if (last.paid[i]! > last.paid[largest]!) largest = i;
  const phrase = causePhrase(causes[largest]!);
  const subject = phrase.charAt(0).toUpperCase() + phrase.slice(1);
  return `${subject}: ${shortShare(last.paid[largest]! / last.total)} of ${formatMoney(last.total / NANO)}`;
}

/** The points by their place on the axis; of several that fall on one place the last, which holds the others. */
function byPlace(points: readonly CostPoint[], unit: TimeUnit): readonly (readonly [number, CostPoint])[] {
  return [...new Map(points.map((point) => [inUnit(point.t, unit), point] as const))];
}

/** What a run has paid so far over simulated time, by what it paid for. */
export function costByCause(entries: readonly LogEntry[], leftOut: LeftOut | null = null): ChartSpec {
  const { requests, fromMs, toMs } = runSeries(entries, leftOut);
  const unit = timeUnit(toMs - fromMs);
  const series = costSeries(requests, leftOut);
  const { causes } = series;
  const kept = keepExtremes(series.points, ({ total }) => total, 600);
  const last = kept.at(-1);
  const drawn = last === undefined ? [] : [...kept, { ...last, t: toMs }];
  const values = byPlace(drawn, unit).flatMap(([x, point]) =>
    causes.map((cause, order) => ({
      x,
      cause: causePhrase(cause),
      usd: point.paid[order]! / NANO,
      order,
    })),
  );
  return chartSpec(
    { text: titleOf(series), subtitle: runSubtitle(entries) },
    {
      data: { values },
      mark: { type: 'area', interpolate: 'step-after' },
      encoding: {
        x: { field: 'x', type: 'quantitative', title: unit.title, scale: { nice: false } },
        y: {
          field: 'usd',
          type: 'quantitative',
          title: 'cumulative cost (US dollars)',
          axis: { format: '$,~r' },
          stack: 'zero',
        },
        color: {
          field: 'cause',
          type: 'nominal',
          scale: { domain: causes.map(causePhrase), range: causeColors(causes) },
        },
        order: { field: 'order', type: 'quantitative' },
      },
    },
  );
}
