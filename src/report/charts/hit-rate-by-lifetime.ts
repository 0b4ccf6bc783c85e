import { formatCount, formatCounted, formatDuration, formatMoney } from '../../core/base/format.js';
import { byName, type ChartSpec, chartSpec, namedRules, quantity, textOf } from './chart-spec.js';
import { DISTINCT, LIGHT } from './palette.js';
import { keepExtremes, shortShare } from './run-series.js';

/** A point of the lifetime curve. */
interface LifetimePoint {
  /** null = entries never expire. */
  readonly ttlSeconds: number | null;
  readonly hitRate: number | null;
}

/** What one session costs at both lifetimes. */
interface LifetimeCost {
  readonly cost5mUsd: number;
  readonly cost1hUsd: number;
  readonly cheaper: '5m' | '1h' | 'equal';
}

/** What the chart needs of a report on lifetimes. */
export interface LifetimeChartInput {
  readonly sessions: number;
  readonly requests: number;
  readonly curve: readonly LifetimePoint[];
  readonly cost: {
    readonly share5mCheaper: number | null;
    readonly share1hCheaper: number | null;
    readonly rescuedTokens: number;
    readonly breakEvenTokens: number;
    readonly total5mUsd: number | null;
    readonly total1hUsd: number | null;
    readonly perSession: readonly LifetimeCost[];
  };
}

const SIDES = [
  ['5m', '5 minutes cheaper', DISTINCT.orange],
  ['1h', '1 hour cheaper', DISTINCT.blue],
  ['equal', 'the same', DISTINCT.grey],
] as const;

/** The lifetimes the API sells, in seconds (CCH-1). */
const SOLD = [300, 3_600];

const WIDTH = 330;

function plot(text: string): object {
  const title = { text, fontSize: 12, fontWeight: 'normal', frame: 'group', offset: 10 };
  return { width: WIDTH, height: 300, title };
}

function curvePlot({ curve }: LifetimeChartInput): object {
  const points = curve.flatMap(({ ttlSeconds, hitRate }) =>
    ttlSeconds === null || hitRate === null
      ? []
      : [{ ttlSeconds, hitRate, label: formatDuration(ttlSeconds * 1_000), sold: SOLD.includes(ttlSeconds) }],
  );
  const unlimited = curve.find(({ ttlSeconds }) => ttlSeconds === null)?.hitRate ?? null;
  const x = quantity('ttlSeconds', 'lifetime of an entry (seconds, log scale)', {
    scale: { type: 'log', nice: false },
    axis: { format: '~s', tickCount: 6 },
  });
  const y = quantity('hitRate', 'prompt tokens read from the cache (share)', {
    axis: { format: '.0%' },
    scale: { zero: false },
  });
  const ceiling = unlimited === null ? [] : [{ hitRate: unlimited, label: 'never expires' }];
  return {
    ...plot('Hit rate at every lifetime'),
    layer: [
      namedRules(ceiling, y, { x: 0, field: 'label', mark: { align: 'left', dx: 4 } }),
      { data: { values: points }, mark: { type: 'line', color: LIGHT.series }, encoding: { x, y } },
      {
        data: { values: points.filter(({ sold }) => sold) },
        layer: [
          {
            mark: { type: 'point', filled: true, size: 90, color: LIGHT.series, opacity: 1 },
            encoding: { x, y },
          },
          {
            mark: { type: 'text', align: 'left', baseline: 'top', dx: 7, dy: 5, color: LIGHT.ink },
            encoding: { x, y, text: textOf('label') },
          },
        ],
      },
    ],
  };
}

function costPlot({ cost }: LifetimeChartInput): object {
  const rows = cost.perSession
    .filter(({ cost5mUsd, cost1hUsd }) => cost5mUsd > 0 && cost1hUsd > 0)
    .map(({ cost5mUsd, cost1hUsd, cheaper }) => ({
      cost5mUsd,
      ratio: cost1hUsd / cost5mUsd,
      side: SIDES.find(([key]) => key === cheaper)![1],
    }));
  const values = keepExtremes(rows, ({ ratio }) => ratio);
  const y = quantity('ratio', 'cost with 1 hour / cost with 5 minutes', { scale: { zero: false } });
  const rule = [{ ratio: 1, label: 'break-even' }];
  return {
    ...plot(`Each session; break-even at ${formatCount(cost.breakEvenTokens)} rescued tokens`),
    layer: [
      namedRules(rule, y, { x: WIDTH, field: 'label', mark: { align: 'right', dy: -2 } }),
      {
        data: { values },
        mark: { type: 'point', filled: true, size: 26, opacity: 0.6 },
        encoding: {
          x: quantity('cost5mUsd', 'cost of the session with 5 minutes (US dollars, log scale)', {
            scale: { type: 'log' },
            axis: { format: '$~g', tickCount: 5 },
          }),
          y,
          color: byName(
            'side',
            SIDES.map(([, name]) => name),
            SIDES.map(([, , color]) => color),
          ),
        },
      },
    ],
  };
}

function titleOf({ cost, sessions }: LifetimeChartInput): string {
  if (cost.share1hCheaper === null || cost.share5mCheaper === null)
    return sessions === 0
      ? 'Cache lifetimes: no session'
      : `Cache hits of ${formatCounted(sessions, 'session')} at every lifetime`;
  return `1 hour is cheaper for ${shortShare(cost.share1hCheaper)} of ${formatCounted(sessions, 'session')}, 5 minutes for ${shortShare(cost.share5mCheaper)}`;
}

/** The hit rate against the lifetime of entries, and five minutes against one hour in money for each session that has the choice. */
export function hitRateByLifetime(input: LifetimeChartInput): ChartSpec {
  const { cost, requests } = input;
  const size = formatCounted(requests, 'request');
  const money = `all sessions: ${formatMoney(cost.total5mUsd)} with 5 minutes, ${formatMoney(cost.total1hUsd)} with 1 hour · ${formatCount(cost.rescuedTokens)} tokens rescued by 1 hour`;
  const isCurveAlone = cost.perSession.length === 0 && input.sessions > 0;
  const {
    width: _width,
    height: _height,
    ...spec
  } = chartSpec(
    {
      text: titleOf(input),
      subtitle: isCurveAlone ? size : `${size} · ${money}`,
    },
    { hconcat: isCurveAlone ? [curvePlot(input)] : [curvePlot(input), costPlot(input)], spacing: 40 },
  );
  return spec as ChartSpec;
}
