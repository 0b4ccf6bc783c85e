import { formatCount } from '../../core/base/format.js';
import { type ChartSpec, chartSpec, drawn, quantity, textOf } from './chart-spec.js';
import { DISTINCT, LIGHT } from './palette.js';
import { keepExtremes } from './run-series.js';
import {
  axisTitle,
  type Markable,
  type MetricAxis,
  splitRanked,
  subtitleWith,
  UNRANKED_MARK,
  unitFormat,
} from './sweep-point.js';

/** A setting with its two values. */
export interface ParetoPoint extends Markable {
  readonly label: string;
  readonly x: number;
  readonly y: number;
  /** Least y that any choice has in the same place: shown where it is known. */
  readonly least?: number;
}

/** What a Pareto chart is made from. */
export interface ParetoInput {
  readonly x: MetricAxis;
  readonly y: MetricAxis;
  readonly points: readonly ParetoPoint[];
  readonly subtitle: string;
}

/** Room between the outermost points and the axes, in pixels: a label fits there. */
const MARGIN = 24;

/** Ticks of an axis, about: more would touch each other. */
const TICKS = 6;

/** Labels that are written beside points of the front, at most. */
const MAX_LABELS = 7;

/** Points of the front that are far enough apart for a label each. */
function labelled(front: readonly ParetoPoint[]): readonly ParetoPoint[] {
  const room = ((front.at(-1)?.x ?? 0) - (front[0]?.x ?? 0)) / MAX_LABELS;
  const kept: ParetoPoint[] = [];
  for (const point of front) if (kept.length === 0 || point.x - kept.at(-1)!.x >= room) kept.push(point);
  return kept;
}

/** Points at the same place as one, under all their names. */
function together(points: readonly ParetoPoint[]): readonly ParetoPoint[] {
  const places = new Map<string, ParetoPoint>();
  for (const point of points) {
    const place = `${point.x} ${point.y}`;
    const known = places.get(place);
    places.set(place, known === undefined ? point : { ...known, label: `${known.label}, ${point.label}` });
  }
  return [...places.values()];
}

/** The ranked points that no other one equals or beats in both values while beating it in one, by x. */
export function paretoFront(
  points: readonly ParetoPoint[],
  better: { readonly x: MetricAxis['better']; readonly y: MetricAxis['better'] },
): readonly ParetoPoint[] {
  const signX = better.x === 'higher' ? -1 : 1;
  const signY = better.y === 'higher' ? -1 : 1;
  const sorted = [...splitRanked(points)[0]].sort((a, b) => signX * (a.x - b.x) || signY * (a.y - b.y));
  const front: ParetoPoint[] = [];
  let record = Number.POSITIVE_INFINITY;
  let recordX: number | null = null;
  for (const point of sorted) {
    const y = signY * point.y;
    if (y < record || (y === record && point.x === recordX)) front.push(point);
    if (y < record) {
      record = y;
      recordX = point.x;
    }
  }
  return front.sort((a, b) => a.x - b.x);
}

function titleOf(
  ranked: readonly ParetoPoint[],
  unranked: readonly ParetoPoint[],
  front: readonly ParetoPoint[],
  metrics: string,
): string {
  if (ranked.length === 1 && unranked.length > 0) return `Only ${ranked[0]!.label} is ranked by ${metrics}`;
  return `${formatCount(front.length)} of ${formatCount(ranked.length)} settings are not beaten in both ${metrics}`;
}

/** Two metrics of many settings against one another, with the settings that no other one beats in both. */
export function pareto({ x, y, points, subtitle }: ParetoInput): ChartSpec {
  const [ranked, unranked] = splitRanked(points);
  const front = paretoFront(ranked, { x: x.better, y: y.better });
  const bounded = points.filter(({ least }) => least !== undefined);
  const byY = (setting: ParetoPoint): number => setting.y;
  const scale = { zero: false, padding: MARGIN };
  const axes = {
    x: quantity('x', axisTitle(x), {
      scale,
      axis: { format: unitFormat(x.unit), grid: true, tickCount: TICKS },
    }),
    y: quantity('y', axisTitle(y), { scale, axis: { format: unitFormat(y.unit), tickCount: TICKS } }),
  };
  const point = { type: 'point', filled: true };
  const textBeside = (color: string) => ({
    mark: { type: 'text', align: 'left', dx: 8, dy: 12, color },
    encoding: { ...axes, text: textOf('label') },
  });
  return chartSpec(
    {
      text: titleOf(ranked, unranked, front, `${x.name} and ${y.name}`),
      subtitle: `${subtitleWith(subtitle, unranked.length)}${bounded.length === 0 ? '' : ' · lines: down to the least of any choice'}`,
    },
    {
      layer: [
        ...drawn(bounded, {
          mark: { type: 'rule', color: DISTINCT.grey, opacity: 0.6 },
          encoding: { ...axes, y2: { field: 'least' } },
        }),
        {
          data: { values: keepExtremes(ranked, byY) },
          mark: { ...point, size: 30, color: DISTINCT.grey, opacity: 0.6 },
          encoding: axes,
        },
        {
          data: { values: front },
          layer: [
            { mark: { type: 'line', color: LIGHT.series, interpolate: 'step-after' }, encoding: axes },
            { mark: { ...point, size: 70, color: LIGHT.series, opacity: 1 }, encoding: axes },
          ],
        },
        ...drawn(keepExtremes(together(unranked), byY), {
          layer: [
            { mark: UNRANKED_MARK, encoding: axes },
            ...(unranked.length > MAX_LABELS ? [] : [textBeside(LIGHT.muted)]),
          ],
        }),
        { data: { values: labelled(together(front)) }, ...textBeside(LIGHT.ink) },
      ],
    },
  );
}
