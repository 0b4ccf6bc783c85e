import { type ChartSpec, chartSpec } from './chart-spec.js';
import { LIGHT } from './palette.js';
import {
  axisTitle,
  bestOf,
  type MetricAxis,
  metricPhrase,
  type SweepAxis,
  unitFormat,
} from './sweep-point.js';

/** One cell of a sweep over two parameters. */
export interface SweepCell {
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

/** A metric over two parameters, the best cell framed. Light is better, where one direction is. */
export function sweepHeatmap({ x, y, metric, cells, subtitle }: SweepHeatmapInput): ChartSpec {
  const values = cells.filter(({ value }) => value !== null);
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
    { text: title, subtitle },
    {
      height: Math.max(160, Math.min(480, rows * 30)),
      data: { values },
      layer: [
        {
          mark: { type: 'rect' },
          encoding: {
            ...axes,
            color: {
              field: 'value',
              type: 'quantitative',
              scale: { scheme: 'cividis', reverse: metric.better === 'lower', zero: false },
              legend: {
                title: axisTitle(metric),
                titleColor: LIGHT.muted,
                format: unitFormat(metric.unit),
                orient: 'right',
                direction: 'vertical',
              },
            },
          },
        },
        ...(best === null
          ? []
          : [
              {
                data: { values: [best] },
                mark: { type: 'rect', fill: null, stroke: LIGHT.alarm, strokeWidth: 3 },
                encoding: axes,
              },
            ]),
      ],
    },
  );
}
