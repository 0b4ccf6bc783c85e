import type { StudyAxis, StudyChart, StudyPoint, StudySeries } from '../page-data/page-data.js';
import {
  byName,
  type ChartSpec,
  chartSpec,
  drawn,
  inLines,
  type NamedChart,
  namedRules,
  quantity,
  textOf,
} from './chart-spec.js';
import { LIGHT } from './palette.js';
import { subtitleWith, UNRANKED_MARK, unitFormat } from './sweep-point.js';

/** Room between the outermost points and the axes, in pixels. */
const MARGIN = 12;

/** Points of a line that are drawn one by one. */
const MOST_DOTS = 60;

/** Labels beside one another, at most. */
const MOST_LABELS = 7;

type Encoding = Readonly<Record<string, unknown>>;

function axisOf(field: 'x' | 'y', { title, unit, scale, names }: StudyAxis): Encoding {
  if (names !== undefined)
    return { field, type: 'ordinal', title, sort: null, axis: { labelAngle: 0, labelOverlap: true } };
  return quantity(field, scale === 'log' ? `${title}, log scale` : title, {
    scale: { type: scale, nice: false, padding: MARGIN, ...(scale === 'log' ? {} : { zero: false }) },
    axis: { format: unitFormat(unit ?? 'count'), tickCount: 6 },
  });
}

/** A point as a row of data: names instead of places where its axis has them. */
function rowOf({ x: { names } }: StudyChart, { name }: StudySeries, point: StudyPoint): Encoding {
  const { row: _row, mark: _mark, ...shown } = point;
  return { ...shown, x: names === undefined ? point.x : (names[point.x] ?? ''), series: name };
}

/** The line on which both axes are equal, as far as there are points. */
function diagonal({ series }: StudyChart): readonly Encoding[] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { points } of series)
    for (const { x, y } of points) [low, high] = [Math.min(low, x, y), Math.max(high, x, y)];
  return low > high ? [] : [low, high].map((end) => ({ x: end, y: end }));
}

/** Points with a label, below and above them in turn; those that are too near to the one before on their side have none. */
function labelled({ series }: StudyChart): readonly (readonly StudyPoint[])[] {
  const all = series.flatMap(({ points }) => points);
  const named = all.filter(({ label }) => label !== undefined).sort((a, b) => a.x - b.x);
  const places = all.map(({ x }) => x);
  const room = (Math.max(...places) - Math.min(...places)) / MOST_LABELS;
  const sides: StudyPoint[][] = [[], []];
  for (const point of named)
    sides.find((side) => side.length === 0 || point.x - side.at(-1)!.x >= room)?.push(point);
  return sides;
}

/** A chart of a page as a Vega-Lite specification, with what it shows in a sentence above it. */
function pointsSpec(chart: StudyChart, sentence: string): ChartSpec {
  const { title, series, guide, events = [] } = chart;
  const [x, y] = [axisOf('x', chart.x), axisOf('y', chart.y)];
  const legend = series.length > 1 ? {} : { legend: null };
  const color = {
    ...byName(
      'series',
      series.map(({ name }) => name),
      series.map((own) => own.color),
    ),
    ...legend,
  };
  const rows = (of: readonly StudySeries[], is: (point: StudyPoint) => boolean): readonly Encoding[] =>
    of.flatMap((own) => own.points.filter(is).map((point) => rowOf(chart, own, point)));
  const isRanked = ({ mark }: StudyPoint): boolean => mark !== 'unranked';
  const unranked = rows(series, (point) => !isRanked(point));
  const dotted = series.filter((own) => own.drawn === 'dots' || own.points.length <= MOST_DOTS);
  const dashed = { strokeDash: [6, 4], color: LIGHT.muted };
  return chartSpec(
    { text: title, subtitle: inLines(subtitleWith(sentence, unranked.length)) },
    {
      layer: [
        ...drawn(guide === 'equal' ? diagonal(chart) : [], {
          mark: { type: 'line', ...dashed },
          encoding: { x, y },
        }),
        ...(guide === undefined || guide === 'equal'
          ? []
          : [
              namedRules(guide, y, { x: { expr: 'width' }, field: 'name', mark: { align: 'right', dy: -2 } }),
            ]),
        ...drawn(events, { mark: { type: 'rule', ...dashed }, encoding: { x } }),
        ...drawn(
          rows(series, ({ low }) => low !== undefined),
          {
            mark: { type: 'rule', opacity: 0.6 },
            encoding: { x, y: { ...y, field: 'low' }, y2: { field: 'high' }, color },
          },
        ),
        ...drawn(
          rows(
            series.filter((own) => own.drawn === 'line'),
            isRanked,
          ),
          { mark: { type: 'line' }, encoding: { x, y, color } },
        ),
        ...drawn(rows(dotted, isRanked), {
          mark: { type: 'point', filled: true, size: 30, opacity: 0.8 },
          encoding: { x, y, color },
        }),
        ...drawn(unranked, { mark: UNRANKED_MARK, encoding: { x, y } }),
        ...drawn(
          rows(series, ({ mark }) => mark === 'best'),
          {
            mark: { type: 'point', size: 160, strokeWidth: 2, color: LIGHT.alarm },
            encoding: { x, y },
          },
        ),
        ...labelled(chart).flatMap((side, i) =>
          drawn(
            rows(series, (point) => side.includes(point)),
            {
              mark: { type: 'text', align: 'left', dx: 8, dy: i === 0 ? 12 : -10, color: LIGHT.ink },
              encoding: { x, y, text: textOf('label') },
            },
          ),
        ),
      ],
    },
  );
}

/** The charts of a page as files. */
export function pointsSpecs(charts: readonly StudyChart[], sentence: string): readonly NamedChart[] {
  return charts.map((chart) => ({ name: chart.name, spec: pointsSpec(chart, sentence) }));
}
