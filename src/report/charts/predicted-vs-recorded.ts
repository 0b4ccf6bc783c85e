import { formatCount } from '../../core/base/format.js';
import { quantile } from '../../core/base/stats.js';
import { type ChartSpec, chartSpec, quantity, seriesColor } from './chart-spec.js';
import { LIGHT } from './palette.js';
import { keepExtremes, shortShare } from './run-series.js';
import { axisTitle, type SweepAxis } from './sweep-point.js';

/** A quantity as the simulator predicts it and as a recording holds it. */
export interface PredictedPoint {
  readonly predicted: number;
  readonly recorded: number;
  /** What kind of value it is, such as `cache read`. */
  readonly series: string;
}

/** What the chart is made from. */
export interface PredictedInput {
  readonly quantity: SweepAxis;
  readonly points: readonly PredictedPoint[];
  readonly subtitle: string;
}

function titleOf({ quantity, points }: PredictedInput): string {
  const errors = points.flatMap(({ predicted, recorded }) =>
    recorded === 0 ? [] : [Math.abs(predicted - recorded) / recorded],
  );
  const median = quantile(errors, 0.5);
  const p95 = quantile(errors, 0.95);
  if (median === null || p95 === null)
    return `Predicted against recorded ${quantity.name}: nothing to compare`;
  const spread = `half within ${shortShare(median)}, 95 % within ${shortShare(p95)} of the recording`;
  return `Predicted ${quantity.name}: ${spread}`;
}

/** Predicted against recorded values; on the diagonal they agree. */
export function predictedVsRecorded(input: PredictedInput): ChartSpec {
  const { quantity: of, points, subtitle } = input;
  const names = [...new Set(points.map(({ series }) => series))];
  let limit = 0;
  for (const { predicted, recorded } of points) limit = Math.max(limit, predicted, recorded);
  const values = keepExtremes(points, ({ predicted, recorded }) => predicted - recorded);
  const look = { scale: { domain: [0, limit], nice: false }, axis: { format: '~s', grid: true } };
  const axis = (field: string): object => quantity(field, `${field} ${axisTitle(of)}`, look);
  const encoding = { x: axis('recorded'), y: axis('predicted') };
  return chartSpec(
    { text: titleOf(input), subtitle: `${subtitle} · ${formatCount(points.length)} values, dashed: equal` },
    {
      width: 480,
      height: 480,
      layer: [
        {
          data: { values: [0, limit].map((end) => ({ recorded: end, predicted: end })) },
          mark: { type: 'line', strokeDash: [6, 4], color: LIGHT.muted },
          encoding,
        },
        {
          data: { values },
          mark: { type: 'point', filled: true, size: 24, opacity: 0.55 },
          encoding: { ...encoding, color: seriesColor(names) },
        },
      ],
    },
  );
}
