import type { StudyChart, StudyPoint } from '../../page-data/study-page-data.js';
import { legend } from '../widgets/axis-tools.js';
import { h, oncePerFrame, s } from '../widgets/dom.js';
import type { Store } from '../widgets/store.js';
import type { Tooltip } from '../widgets/tooltip.js';
import { axisText, type PointScale, scaleOf, spanOf, ticksOf, tickText } from './point-axes.js';
import type { PointRef, StudyView } from './study-view.js';

const LEFT = 64;
const RIGHT = 16;
const TOP = 24;
const HEIGHT = 230;
const BOTTOM = 34;
const REACH_PX = 40;
/** A row with more points than this has dots with a rim instead of rings. */
const MOST_RINGS = 12;
/** Creates a chart of points: hover tells, a click or the arrow keys choose. */
export function createPointsChart(
  store: Store<StudyView>,
  chart: StudyChart,
  tooltip: Tooltip<PointRef>,
): HTMLElement {
  const all = chart.series.flatMap((series) => series.points.map((point) => ({ series, point })));
  const xs = all.map(({ point }) => point.x);
  const ys = all.flatMap(({ point: { y, low, high } }) => [y, ...(low === undefined ? [] : [low, high!])]);
  const level = chart.guide === undefined || chart.guide === 'equal' ? [] : [chart.guide.y];
  const xSpan = spanOf(xs, chart.x, 'least');
  const ySpan = spanOf([...ys, ...level], chart.y, 'zero');
  const plot = s('g');
  const over = s('g.cursor');
  const svg = s('svg.chart', {
    height: TOP + HEIGHT + BOTTOM,
    role: 'application',
    tabindex: 0,
    'aria-label': `${chart.title}: ${all.length} points. Left and right move over them.`,
  });
  svg.append(plot, over);
  const scales = (): { readonly x: PointScale; readonly y: PointScale; readonly width: number } => {
    const width = Math.max(120, svg.clientWidth - LEFT - RIGHT);
    return {
      width,
      x: scaleOf(chart.x, xSpan, [LEFT, LEFT + width]),
      y: scaleOf(chart.y, ySpan, [TOP + HEIGHT, TOP]),
    };
  };

  const drawAxes = ({ x, y, width }: ReturnType<typeof scales>): void => {
    for (const value of ticksOf(chart.y, ...ySpan, HEIGHT / 40)) {
      const at = y.px(value);
      plot.append(
        s('line.grid', { x1: LEFT, x2: LEFT + width, y1: at, y2: at }),
        s('text', { x: LEFT - 8, y: at + 4, 'text-anchor': 'end' }, tickText(chart.y, value)),
      );
    }
    for (const value of ticksOf(chart.x, ...xSpan, width / 90))
      plot.append(
        s(
          'text',
          { x: x.px(value), y: TOP + HEIGHT + 16, 'text-anchor': 'middle' },
          tickText(chart.x, value),
        ),
      );
    plot.append(
      s('text', { x: LEFT + width, y: TOP + HEIGHT + 31, 'text-anchor': 'end' }, chart.x.title),
      s('text', { x: 0, y: 12 }, `↑ ${chart.y.title}`),
    );
  };
  const drawGuide = ({ x, y, width }: ReturnType<typeof scales>): void => {
    const { guide } = chart;
    if (guide === undefined) return;
    if (guide === 'equal') {
      const from = Math.max(xSpan[0], ySpan[0]);
      const to = Math.min(xSpan[1], ySpan[1]);
      plot.append(s('line.limit', { x1: x.px(from), y1: y.px(from), x2: x.px(to), y2: y.px(to) }));
      return;
    }
    const at = y.px(guide.y);
    plot.append(s('line.limit', { x1: LEFT, x2: LEFT + width, y1: at, y2: at }));
  };
  /** The name of the level, above the points that it would lie among. */
  const drawGuideName = ({ y, width }: ReturnType<typeof scales>): void => {
    const { guide } = chart;
    if (guide === undefined || guide === 'equal') return;
    const place = { x: LEFT + width - 4, y: y.px(guide.y) - 7, 'text-anchor': 'end' };
    const label = `${guide.name} ${axisText(chart.y, guide.y)}`;
    plot.append(s('text.quiet.halo', { ...place }, label));
  };
  const drawSeries = ({ x, y }: ReturnType<typeof scales>): void => {
    for (const { color, drawn, points } of chart.series) {
      const at = ({ x: px, y: py }: StudyPoint): string => `${x.px(px).toFixed(1)},${y.px(py).toFixed(1)}`;
      const ranked = points.filter(({ mark }) => mark !== 'unranked');
      const bars = points.flatMap((point) =>
        point.low === undefined
          ? []
          : [`M${x.px(point.x).toFixed(1)},${y.px(point.low).toFixed(1)}V${y.px(point.high!).toFixed(1)}`],
      );
      const crosses = points.flatMap((point) =>
        point.mark === 'unranked' ? [`M${at(point)}m-4,-4l8,8m0,-8l-8,8`] : [],
      );
      if (drawn === 'line' && ranked.length > 1)
        plot.append(s('path.joined', { d: `M${ranked.map(at).join('L')}`, stroke: color }));
      plot.append(
        s('path.whisker', { d: bars.join(''), stroke: color }),
        s('path', {
          class: points.length > 300 ? 'dots small' : 'dots',
          d: ranked.map((point) => `M${at(point)}h0`).join(''),
          stroke: color,
        }),
        s('path.crosses', { d: crosses.join('') }),
      );
      for (const point of points)
        if (point.mark === 'best')
          plot.append(
            s('text.halo.star', { x: x.px(point.x), y: y.px(point.y) - 8, 'text-anchor': 'middle' }, '★'),
          );
    }
  };
  const drawChosen = (): void => {
    const { x, y } = scales();
    const { row } = store.view;
    const own = row === null ? [] : all.filter(({ point }) => point.row === row);
    if (own.length > MOST_RINGS) {
      const at = (points: readonly StudyPoint[]): string =>
        points.map((point) => `M${x.px(point.x).toFixed(1)},${y.px(point.y).toFixed(1)}h0`).join('');
      // Each keeps the colour that the legend names: only the rim says that it is chosen.
      over.replaceChildren(
        s('path.dots.own', { d: at(own.map(({ point }) => point)) }),
        ...chart.series.map(({ color, points }) =>
          s('path.dots.small', {
            d: at(points.filter((point) => point.row === row)),
            stroke: color,
          }),
        ),
      );
      return;
    }
    over.replaceChildren(
      ...own.map(({ point }) => s('circle.ring', { cx: x.px(point.x), cy: y.px(point.y), r: 8 })),
    );
  };
  const redraw = oncePerFrame(() => {
    if (!svg.isConnected) return;
    const now = scales();
    plot.replaceChildren();
    drawAxes(now);
    drawGuide(now);
    drawSeries(now);
    drawGuideName(now);
    drawChosen();
  });

  const nearest = (event: MouseEvent): PointRef | null => {
    const { x, y } = scales();
    const box = svg.getBoundingClientRect();
    let best: PointRef | null = null;
    let distance = REACH_PX;
    for (const { series, point } of all) {
      const away = Math.hypot(
        x.px(point.x) - (event.clientX - box.left),
        y.px(point.y) - (event.clientY - box.top),
      );
      if (away >= distance) continue;
      distance = away;
      best = { chart, series, point };
    }
    return best;
  };
  svg.addEventListener('pointermove', (event) => tooltip.show(nearest(event), event));
  svg.addEventListener('pointerleave', () => tooltip.show(null, null));
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
    tooltip.show(
      { chart, ...next },
      { clientX: box.left + x.px(next.point.x), clientY: box.top + y.px(next.point.y) },
    );
  });
  svg.addEventListener('blur', () => tooltip.show(null, null));
  store.listen(drawChosen);
  new ResizeObserver(redraw).observe(svg);
  return h(
    'figure',
    h('figcaption', chart.title),
    svg,
    chart.series.length > 1
      ? legend([...new Map(chart.series.map(({ name, color }) => [name, color]))])
      : null,
  );
}
