import type { ChartModel } from '../run/run-model.js';
import { clampRange, rangeOf, zoomed } from './axis-range.js';
import { h, oncePerFrame, s } from './dom.js';
import { clockTick, linearScale, niceTicks, type Scale, timeTicks } from './scale.js';
import { type Store, toRun, type View } from './store.js';
import type { Place } from './tooltip.js';

/** What a chart draws into at one moment. */
export interface Drawing {
  readonly view: View;
  readonly x: Scale;
  readonly y: Scale;
  readonly width: number;
  readonly height: number;
  /** Group that is emptied before each drawing. */
  readonly plot: SVGGElement;
}

/** A chart that shares its axis with the others. */
export interface FrameOptions {
  readonly title: string;
  /** What the chart shows, for people who do not see it. */
  readonly label: string;
  yTitle(view: View): string;
  readonly height: number;
  /** Room above the plot for lanes of marks. */
  readonly lanes: number;
  readonly model: () => ChartModel;
  /** Index of the run that is drawn. */
  readonly run: () => number;
  /** The whole axis, over all runs that share it. */
  domain(view: View): readonly [number, number];
  yMax(): number;
  yText(value: number): string;
  draw(drawing: Drawing): void;
  /** Draws what follows the cursor; called alone while the pointer moves. */
  cursor(drawing: Drawing, layer: SVGGElement): void;
  /** Hears clicks; true when it took one. */
  click?(px: number, py: number, drawing: Drawing): boolean;
  hover(index: number | null, place: Place | null): void;
}

const LEFT = 64;
const RIGHT = 12;
const BOTTOM = 34;
/** A drag shorter than this is a click. */
const MIN_DRAG_PX = 6;
const ZOOM_STEP = 1.6;

/** Creates a chart in a figure of its own and keeps it up to date. */
export function createFrame(store: Store, options: FrameOptions): HTMLElement {
  const { height, lanes } = options;
  const plot = s('g');
  const cursorLayer = s('g.cursor');
  const brush = s('rect.brush', { y: lanes, height, visibility: 'hidden' });
  const svg = s('svg.chart', {
    height: lanes + height + BOTTOM,
    role: 'application',
    tabindex: 0,
    'aria-label': `${options.label} Left and right move over requests, Enter chooses one, plus and minus zoom, 0 shows all.`,
  });
  svg.append(plot, brush, cursorLayer);
  const figure = h('figure', h('figcaption', options.title), svg);

  const drawing = (): Drawing => {
    const width = Math.max(120, svg.clientWidth - LEFT - RIGHT);
    const { view } = store;
    return {
      view,
      width,
      height,
      plot,
      x: linearScale(rangeOf(view, options.domain(view)), [LEFT, LEFT + width]),
      y: linearScale([0, options.yMax() || 1], [lanes + height, lanes]),
    };
  };

  const drawAxes = ({ view, x, y, width }: Drawing): void => {
    for (const value of niceTicks(y.from, y.to, height / 34)) {
      const at = y.px(value);
      plot.append(
        s('line.grid', { x1: LEFT, x2: LEFT + width, y1: at, y2: at }),
        s('text', { x: LEFT - 8, y: at + 4, 'text-anchor': 'end' }, options.yText(value)),
      );
    }
    const wanted = width / 90;
    const ticks =
      view.axis === 'time'
        ? timeTicks(x.from, x.to, wanted)
        : niceTicks(x.from, x.to, wanted).filter(Number.isInteger);
    const step = (ticks[1] ?? 0) - (ticks[0] ?? 0);
    for (const value of ticks) {
      const text = view.axis === 'time' ? clockTick(value, step) : String(value);
      plot.append(s('text', { x: x.px(value), y: lanes + height + 16, 'text-anchor': 'middle' }, text));
    }
    const title = view.axis === 'time' ? 'time since the start (h:mm)' : 'request';
    plot.append(
      s('text.axis', { x: LEFT + width, y: lanes + height + 31, 'text-anchor': 'end' }, title),
      s('text.axis', { x: LEFT, y: lanes + height + 31 }, `↑ ${options.yTitle(view)}`),
    );
  };

  const drawChosen = ({ view, x }: Drawing): void => {
    if (view.request === null || view.run !== options.run()) return;
    const at = x.px(options.model().x(view.request, view.axis));
    if (at < x.px(x.from) || at > x.px(x.to)) return;
    cursorLayer.append(s('line.chosen', { x1: at, x2: at, y1: lanes, y2: lanes + height }));
  };
  const redrawCursor = (): void => {
    const now = drawing();
    cursorLayer.replaceChildren();
    drawChosen(now);
    options.cursor(now, cursorLayer);
  };
  const redraw = oncePerFrame(() => {
    if (!svg.isConnected) return;
    const now = drawing();
    plot.replaceChildren();
    drawAxes(now);
    options.draw(now);
    redrawCursor();
  });

  const placeOf = (event: PointerEvent | MouseEvent): { px: number; py: number } => {
    const box = svg.getBoundingClientRect();
    return { px: event.clientX - box.left, py: event.clientY - box.top };
  };
  let dragFrom: number | null = null;

  svg.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    dragFrom = placeOf(event).px;
  });
  svg.addEventListener('pointermove', (event) => {
    const { px } = placeOf(event);
    const now = drawing();
    if (dragFrom !== null && Math.abs(px - dragFrom) >= MIN_DRAG_PX) {
      if (!svg.hasPointerCapture(event.pointerId)) svg.setPointerCapture(event.pointerId);
      brush.setAttribute('visibility', 'visible');
      brush.setAttribute('x', String(Math.min(px, dragFrom)));
      brush.setAttribute('width', String(Math.abs(px - dragFrom)));
    }
    const index = options.model().nearest(now.x.value(px), store.view.axis);
    if (store.view.run === options.run()) store.update({ cursor: index });
    options.hover(index, event);
  });
  svg.addEventListener('pointerup', (event) => {
    const { px, py } = placeOf(event);
    const from = dragFrom;
    dragFrom = null;
    brush.setAttribute('visibility', 'hidden');
    if (from === null) return;
    const now = drawing();
    if (Math.abs(px - from) < MIN_DRAG_PX) {
      options.click?.(px, py, now);
      return;
    }
    const ends = [now.x.value(Math.min(px, from)), now.x.value(Math.max(px, from))] as const;
    store.update({ range: clampRange(ends, options.domain(store.view)) });
  });
  svg.addEventListener('pointercancel', () => {
    dragFrom = null;
    brush.setAttribute('visibility', 'hidden');
  });
  svg.addEventListener('pointerleave', () => options.hover(null, null));
  svg.addEventListener('dblclick', () => store.update({ range: null }));
  svg.addEventListener(
    'wheel',
    (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const about = drawing().x.value(placeOf(event).px);
      const factor = event.deltaY < 0 ? ZOOM_STEP : 1 / ZOOM_STEP;
      store.update({ range: zoomed(store.view, options.domain(store.view), factor, about) });
    },
    { passive: false },
  );
  svg.addEventListener('keydown', (event) => {
    if (store.view.run !== options.run()) store.update(toRun(options.run()));
    const { view } = store;
    const model = options.model();
    const whole = options.domain(view);
    const about = view.cursor === null ? null : model.x(view.cursor, view.axis);
    if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
      const order = model.order(view.axis);
      const stride = (event.key === 'ArrowLeft' ? -1 : 1) * (event.shiftKey ? 10 : 1);
      const position = view.cursor === null ? -1 : order.indexOf(view.cursor);
      const next = order[Math.max(0, Math.min(order.length - 1, position + stride))] ?? null;
      store.update({ cursor: next });
      const box = svg.getBoundingClientRect();
      const clientX = box.left + (next === null ? 0 : drawing().x.px(model.x(next, view.axis)));
      options.hover(next, { clientX, clientY: box.top + lanes });
    } else if (event.key === '+' || event.key === '=') {
      store.update({ range: zoomed(view, whole, ZOOM_STEP, about) });
    } else if (event.key === '-') {
      store.update({ range: zoomed(view, whole, 1 / ZOOM_STEP, about) });
    } else if (event.key === 'Enter' && view.cursor !== null) {
      store.update({ request: view.cursor });
    } else if (event.key === '0' || event.key === 'Escape') {
      store.update({ range: null });
      options.hover(null, null);
    } else return;
    event.preventDefault();
  });
  svg.addEventListener('blur', () => options.hover(null, null));

  store.listen((view, before) => {
    const onlyCursor = view.run === before.run && view.axis === before.axis && view.range === before.range;
    if (onlyCursor && view.event === before.event) redrawCursor();
    else redraw();
  });
  new ResizeObserver(redraw).observe(svg);
  return figure;
}
