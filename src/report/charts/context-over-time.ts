import { formatCount } from '../../core/base/format.js';
import { LAYERS, type LayerEntry, type LogEntry } from '../../core/run/run-log.js';
import type { LeftOut } from '../page-data/run-sample.js';
import type { NamedThreshold } from '../text/policy-info.js';
import { type ChartSpec, chartSpec } from './chart-spec.js';
import { keepExtremes } from './keep-extremes.js';
import { LAYER_COLORS, LAYER_SHAPES, LIGHT } from './palette.js';
import { type RunSeries, runSeries, runSubtitle } from './run-series.js';
import { inUnit, type TimeUnit, timeUnit } from './time-unit.js';

/** Marks that are drawn of one run; thinned ones keep what saved most. */
const MAX_MARKS = 400;

function titleOf(series: RunSeries): string {
  if (series.main.length === 0) return 'Context size: no request was answered';
  let peak = 0;
  for (const { context } of series.main) peak = Math.max(peak, context);
  const window = series.window === null ? '' : ` of ${formatCount(series.window)}`;
  const { shrunk } = series;
  const acts = shrunk === 1 ? 'shrunk once' : `shrunk ${formatCount(shrunk)} times`;
  return `Context peaks at ${formatCount(peak)}${window} tokens, ${shrunk === 0 ? 'never shrunk' : acts}`;
}

function thresholdsOf(series: RunSeries, given: readonly NamedThreshold[]): readonly NamedThreshold[] {
  const window = series.window === null ? [] : [{ name: 'window', tokens: series.window }];
  return [...given.filter(({ name }) => name !== 'window'), ...window];
}

function markRow(entry: LayerEntry, unit: TimeUnit): Readonly<Record<string, unknown>> {
  return {
    x: inUnit(entry.t, unit),
    before: entry.trueBefore,
    after: entry.trueAfter,
    layer: entry.layer,
    action: entry.action,
    outcome: entry.outcome,
    turn: entry.turn,
    saved: entry.saved,
    cacheLost: entry.cacheLost,
  };
}

function marksLayer(marks: readonly LayerEntry[], unit: TimeUnit): readonly object[] {
  if (marks.length === 0) return [];
  const present = LAYERS.filter((layer) => marks.some((mark) => mark.layer === layer));
  const color = {
    field: 'layer',
    type: 'nominal',
    scale: { domain: present, range: present.map((layer) => LAYER_COLORS[layer]) },
  };
  const shape = {
    field: 'layer',
    type: 'nominal',
    scale: { domain: present, range: present.map((layer) => LAYER_SHAPES[layer]) },
  };
  const x = { field: 'x', type: 'quantitative' };
  return [
    {
      data: { values: marks.map((mark) => markRow(mark, unit)) },
      layer: [
        {
          mark: { type: 'rule', strokeDash: [2, 2], strokeWidth: 1 },
          encoding: {
            x,
            y: { field: 'before', type: 'quantitative' },
            y2: { field: 'after' },
            color,
          },
        },
        {
          mark: { type: 'point', filled: true, size: 64, opacity: 1, stroke: LIGHT.ink, strokeWidth: 0.5 },
          encoding: { x, y: { field: 'before', type: 'quantitative' }, color, shape },
        },
      ],
    },
  ];
}

/** Context size over simulated time: the limits as lines, what layers did as marks, idle time as shade. */
export function contextOverTime(
  entries: readonly LogEntry[],
  options: { readonly thresholds: readonly NamedThreshold[]; readonly leftOut?: LeftOut | null },
): ChartSpec {
  const series = runSeries(entries, options.leftOut);
  const unit = timeUnit(series.toMs - series.fromMs);
  const limits = thresholdsOf(series, options.thresholds);
  const points = keepExtremes(series.main, ({ context }) => context).map((entry) => ({
    x: inUnit(entry.t, unit),
    tokens: entry.context,
  }));
  const x = {
    field: 'x',
    type: 'quantitative',
    title: unit.title,
    scale: { domain: [inUnit(series.fromMs, unit), inUnit(series.toMs, unit)], nice: false },
  };
  const y = (field: string): object => ({
    field,
    type: 'quantitative',
    title: 'context (tokens)',
    axis: { format: '~s' },
    scale: { zero: true },
  });
  const gaps = series.gaps.map(({ fromMs, toMs }) => ({ x: inUnit(fromMs, unit), to: inUnit(toMs, unit) }));
  const marks = keepExtremes(series.layers, ({ saved }) => saved, MAX_MARKS);
  return chartSpec(
    { text: titleOf(series), subtitle: `${runSubtitle(entries)} · shaded: idle for more than 5 minutes` },
    {
      layer: [
        {
          data: { values: gaps },
          mark: { type: 'rect', color: LIGHT.shade },
          encoding: { x, x2: { field: 'to' } },
        },
        {
          data: { values: limits },
          layer: [
            {
              mark: { type: 'rule', strokeDash: [6, 4], color: LIGHT.muted },
              encoding: { y: y('tokens') },
            },
            {
              mark: { type: 'text', align: 'right', baseline: 'bottom', dy: -2, color: LIGHT.muted },
              encoding: {
                x: { value: { expr: 'width' } },
                y: y('tokens'),
                text: { field: 'name', type: 'nominal' },
              },
            },
          ],
        },
        {
          data: { values: points },
          mark: { type: 'line', interpolate: 'step-after', color: LIGHT.series, strokeWidth: 1.5 },
          encoding: { x, y: y('tokens') },
        },
        ...marksLayer(marks, unit),
      ],
    },
  );
}
