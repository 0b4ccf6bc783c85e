import { type ChartSpec, chartSpec, drawn, quantity } from './chart-spec.js';
import { LIGHT } from './palette.js';
import {
  axisTitle,
  bestOf,
  type Markable,
  type MetricAxis,
  metricPhrase,
  type SweepAxis,
  splitRanked,
  subtitleWith,
  unitFormat,
} from './sweep-point.js';

/** One cell of a sweep over two parameters. */
export interface SweepCell extends Markable {
  readonly x: number | string;
  readonly y: number | string;
  readonly value: number | null;
}

/** What a heat map of a sweep is made from. */
export interface SweepHeatmapInput {
  readonly x: SweepAxis;
  readonly y: SweepAxis;
  readonly metric: MetricAxis;
  readonly cells: readonly SweepCell[];
  readonly subtitle: string;
}

function colorOf(metric: MetricAxis) {
  return quantity('value', undefined, {
    scale: { scheme: 'cividis', reverse: metric.better === 'lower', zero: false },
    legend: {
      title: axisTitle(metric),
      titleColor: LIGHT.muted,
      format: unitFormat(metric.unit),
      orient: 'right',
      direction: 'vertical',
    },
  });
}

/** A metric over two parameters, the best cell framed. Light is better, where one direction is; a cross is not ranked. */
export function sweepHeatmap({ x, y, metric, cells, subtitle }: SweepHeatmapInput): ChartSpec {
  const [values, unranked] = splitRanked(cells.filter(({ value }) => value !== null));
  const best = bestOf(values, ({ value }) => value, metric.better);
  const rows = new Set(cells.map((cell) => cell.y)).size;
  const axes = {
    x: { field: 'x', type: 'ordinal', title: axisTitle(x), axis: { labelAngle: 0, labelOverlap: true } },
    y: { field: 'y', type: 'ordinal', title: axisTitle(y), sort: 'descending' },
  };
  const title =
    best === null
      ? `${metric.name} over ${x.name} and ${y.name}`
      : `Best ${metricPhrase(metric, best.value!)} at ${x.name} = ${best.x}, ${y.name} = ${best.y}`;
  return chartSpec(
    { text: title, subtitle: subtitleWith(subtitle, unranked.length) },
    {
      height: Math.max(160, Math.min(480, rows * 30)),
      data: { values },
      layer: [
        ...(values.length === 0 && unranked.length > 0
          ? []
          : [{ mark: { type: 'rect' }, encoding: { ...axes, color: colorOf(metric) } }]),
        ...drawn(unranked, {
          layer: [
            { mark: { type: 'rect', fill: LIGHT.shade }, encoding: axes },
            { mark: { type: 'text', text: '×', fontSize: 16, color: LIGHT.muted }, encoding: axes },
          ],
        }),
        ...drawn(best === null ? [] : [best], {
          mark: { type: 'rect', fill: null, stroke: LIGHT.alarm, strokeWidth: 3 },
          encoding: axes,
        }),
      ],
    },
  );
}
