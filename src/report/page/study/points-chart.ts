import type { StudyChart, StudyPoint, StudySeries } from '../../page-data/page-data.js';
import { createChart, pointIn } from '../widgets/chart.js';
import { s } from '../widgets/dom.js';
import { legend } from '../widgets/page-parts.js';
import type { Store } from '../widgets/store.js';
import type { Tooltip } from '../widgets/tooltip.js';
import { axisText, type PointScale, scaleOf, spanOf, ticksOf, tickText } from './point-axes.js';

/** What the reader of a study looks at. */
export interface StudyView {
  /** Index of the chosen row; null = none. */
  readonly row: number | null;
}

/** A point of a chart. */
export interface PointRef {
  readonly chart: StudyChart;
  readonly series: StudySeries;
  readonly point: StudyPoint;
}

const RIGHT = 16;
const TOP = 24;
const HEIGHT = 230;
const REACH_PX = 40;
/** A row with more points than this has dots with a rim instead of rings. */
const MOST_RINGS = 12;

interface Scales {
  readonly x: PointScale;
  readonly y: PointScale;
  /** A point as SVG coordinates. */
  at(point: StudyPoint): string;
}

/** About the width of a letter of a label. */
const LETTER_PX = 6.4;

/** The path of a series' dots: a line of no length each, which has round ends. */
function dots(points: readonly StudyPoint[], { at }: Scales): string {
  return points.map((point) => `M${at(point)}h0`).join('');
}

function seriesMarks({ color, drawn, points }: StudySeries, scales: Scales): readonly SVGElement[] {
  const { x, y, at } = scales;
  const ranked = points.filter(({ mark }) => mark !== 'unranked');
  const unranked = points.filter(({ mark }) => mark === 'unranked');
  const whiskers = points.flatMap(({ x: own, low, high }) =>
    low === undefined ? [] : [`M${x.px(own).toFixed(1)},${y.px(low).toFixed(1)}V${y.px(high!).toFixed(1)}`],
  );
  const crosses = unranked.map((point) => `M${at(point)}m-4,-4l8,8m0,-8l-8,8`);
  const stars = points.filter(({ mark }) => mark === 'best');
  const size = points.length > 300 ? 'path.dots.small' : 'path.dots';
  return [
    ...(drawn === 'line' && ranked.length > 1
      ? [s('path.joined', { d: `M${ranked.map(at).join('L')}`, stroke: color })]
      : []),
    s('path.whisker', { d: whiskers.join(''), stroke: color }),
    s(size, { d: dots(ranked, scales), stroke: color }),
    s('path.crosses', { d: crosses.join('') }),
    ...stars.map((point) => {
      const place = { x: x.px(point.x), y: y.px(point.y) - 8, 'text-anchor': 'middle' };
      return s('text.halo.star', place, '★');
    }),
  ];
}

/** A scale on which what lies outside a span is at its end. */
function withinSpan({ px }: PointScale, [from, to]: readonly [number, number]): PointScale {
  return { px: (value) => px(Math.max(from, Math.min(to, value))) };
}

/** Labels beside their points, each where it covers no other one. */
function labelMarks(
  series: readonly StudySeries[],
  { x, y }: Scales,
  [left, right]: readonly [number, number],
): readonly SVGElement[] {
  const taken: { readonly from: number; readonly to: number; readonly y: number }[] = [];
  return series.flatMap(({ points }) =>
    points.flatMap((point) => {
      if (point.label === undefined) return [];
      const width = point.label.length * LETTER_PX;
      const at = { x: x.px(point.x), y: y.px(point.y) };
      const isLeft = at.x + 12 + width > right && at.x - 12 - width > left;
      const from = isLeft ? at.x - 12 - width : at.x + 12;
      const box = { from, to: from + width, y: at.y };
      const isCovered = taken.some(
        (other) => Math.abs(other.y - box.y) < 14 && other.from < box.to && box.from < other.to,
      );
      if (isCovered || box.to > right) return [];
      taken.push(box);
      return [s('text.halo.label', { x: from, y: at.y + 4 }, point.label)];
    }),
  );
}

/** Creates a chart of points: hovering shows details, a click or the arrow keys choose. */
export function createPointsChart(
  store: Store<StudyView>,
  chart: StudyChart,
  tooltip: Tooltip<PointRef>,
): HTMLElement {
  const { guide, events = [] } = chart;
  const levels = guide === undefined || guide === 'equal' ? [] : guide;
  const all = chart.series.flatMap((series) => series.points.map((point) => ({ chart, series, point })));
  // What is not ranked may have values far off: it is drawn at the edge where others decide the scale. Settings are all on their axis.
  const ranked = all.filter(({ point }) => point.mark !== 'unranked');
  const scaled = ranked.length < 2 ? all : ranked;
  const ys = scaled.flatMap(({ point: { y, low, high } }) => [y, ...(low === undefined ? [] : [low, high!])]);
  const xSpan = spanOf(
    (chart.x.unit === null ? all : scaled).map(({ point }) => point.x),
    chart.x,
    'least',
  );
  const ySpan = spanOf([...ys, ...levels.map(({ y }) => y)], chart.y, 'zero');
  const canvas = createChart({
    title: chart.title,
    label: `${chart.title}: ${all.length} points. Left and right move over them.`,
    top: TOP,
    height: HEIGHT,
    right: RIGHT,
    draw,
  });
  const { svg, plot, over } = canvas;
  const scales = (): Scales => {
    const x = withinSpan(scaleOf(chart.x, xSpan, canvas.across()), xSpan);
    const y = withinSpan(scaleOf(chart.y, ySpan, canvas.up), ySpan);
    return { x, y, at: (point) => `${x.px(point.x).toFixed(1)},${y.px(point.y).toFixed(1)}` };
  };
  function draw(): void {
    const now = scales();
    const { x, y } = now;
    const [left, right] = canvas.across();
    canvas.axes(
      {
        scale: x,
        title: chart.x.title,
        ticks: ticksOf(chart.x, ...xSpan, (right - left) / 90),
        text: (value) => tickText(chart.x, value),
      },
      {
        scale: y,
        title: chart.y.title,
        ticks: ticksOf(chart.y, ...ySpan, HEIGHT / 40),
        text: (value) => tickText(chart.y, value),
      },
      { x: 0, y: 12 },
    );
    const line = (x1: number, y1: number, x2: number, y2: number): void =>
      plot.append(s('line.limit', { x1, y1, x2, y2 }));
    if (guide === 'equal') {
      const from = Math.max(xSpan[0], ySpan[0]);
      const to = Math.min(xSpan[1], ySpan[1]);
      line(x.px(from), y.px(from), x.px(to), y.px(to));
    }
    for (const level of levels) line(left, y.px(level.y), right, y.px(level.y));
    for (const event of events) {
      const at = x.px(event.x);
      plot.append(
        s('line.limit', { x1: at, y1: canvas.up[1], x2: at, y2: canvas.up[0] }),
        s('path.event', { d: `M${at.toFixed(1)},${canvas.up[1]}l-5,-8h10z`, fill: event.color }),
      );
    }
    for (const series of chart.series) plot.append(...seriesMarks(series, now));
    // Last, above the points that they would lie among; two levels have their names at different ends.
    for (const [i, level] of levels.entries()) {
      const end = i === 0 ? { x: right - 4, 'text-anchor': 'end' } : { x: left + 4, 'text-anchor': 'start' };
      const text = `${level.name} ${axisText(chart.y, level.y)}`;
      plot.append(s('text.quiet.halo', { ...end, y: y.px(level.y) - 7 }, text));
    }
    plot.append(...labelMarks(chart.series, now, [left, right]));
    drawChosen();
  }
  const drawChosen = (): void => {
    const now = scales();
    const { row } = store.view;
    const isOwn = (point: StudyPoint): boolean => row !== null && point.row === row;
    const own = all.flatMap(({ point }) => (isOwn(point) ? [point] : []));
    if (own.length <= MOST_RINGS) {
      const rings = own.map(({ x, y }) => s('circle.ring', { cx: now.x.px(x), cy: now.y.px(y), r: 8 }));
      over.replaceChildren(...rings);
      return;
    }
    // Each keeps the colour that the legend names: only the rim says that it is chosen.
    over.replaceChildren(
      s('path.dots.own', { d: dots(own, now) }),
      ...chart.series.map(({ color, points }) =>
        s('path.dots.small', { d: dots(points.filter(isOwn), now), stroke: color }),
      ),
    );
  };

  const nearest = (event: MouseEvent): PointRef | null => {
    const { x, y } = scales();
    const { px, py } = pointIn(svg, event);
    let best: PointRef | null = null;
    let distance = REACH_PX;
    for (const ref of all) {
      const away = Math.hypot(x.px(ref.point.x) - px, y.px(ref.point.y) - py);
      if (away >= distance) continue;
      distance = away;
      best = ref;
    }
    return best;
  };
  svg.addEventListener('pointermove', (event) => tooltip.show(nearest(event), event));
  svg.addEventListener('pointerleave', () => tooltip.show(null, null));
  svg.addEventListener('blur', () => tooltip.show(null, null));
  svg.addEventListener('click', (event) => {
    const found = nearest(event)?.point.row ?? null;
    if (found !== null) store.update({ row: found });
  });
  const linked = all.filter(({ point }) => point.row !== null).sort((a, b) => a.point.x - b.point.x);
  svg.addEventListener('keydown', (event) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0 || linked.length === 0) return;
    event.preventDefault();
    const at = linked.findIndex(({ point }) => point.row === store.view.row);
    const next = linked[Math.max(0, Math.min(linked.length - 1, at + step))]!;
    store.update({ row: next.point.row });
    const { x, y } = scales();
    const box = svg.getBoundingClientRect();
    const place = { clientX: box.left + x.px(next.point.x), clientY: box.top + y.px(next.point.y) };
    tooltip.show(next, place);
  });
  store.watch(['row'], drawChosen);
  if (chart.series.length > 1) {
    const happened = events.map(({ name, color }) => [`▾ ${name}`, color] as const);
    const drawn = chart.series.map(({ name, color }) => [name, color] as const);
    canvas.figure.append(legend([...new Map([...drawn, ...happened])]));
  }
  return canvas.figure;
}
