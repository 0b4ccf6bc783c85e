import { formatCount, formatDuration, formatMoney, formatShare } from '../../../core/base/format.js';
import { ownValue } from '../../../core/base/own-value.js';
import type { ChartModel } from '../../page-data/run-model.js';
import { causeWords } from '../../text/words.js';
import { createChart, pointIn } from '../widgets/chart.js';
import { s } from '../widgets/dom.js';
import {
  clampRange,
  clock,
  clockTick,
  linearScale,
  niceTicks,
  rangeOf,
  type Scale,
  timeTicks,
  zoomed,
} from '../widgets/scale.js';
import { type Store, toRun, type View } from '../widgets/store.js';
import type { Place, Tip, Tooltip } from '../widgets/tooltip.js';

/** What a chart draws into at one moment. */
export interface Drawing {
  readonly view: View;
  readonly x: Scale;
  readonly y: Scale;
  readonly plot: SVGGElement;
  /** Ends of the plot from top to bottom, as of a vertical line. */
  readonly full: { readonly y1: number; readonly y2: number };
  /** Pixel of a place on the axis; null if it is not shown. */
  px(place: number): number | null;
}

/** What charts over the same requests share. */
export interface RequestCharts {
  readonly tooltip: Tooltip<RequestRef>;
  model(): ChartModel;
  /** Colour of a cause of breaks, where it has names of its own. */
  causeColor?(cause: string): string;
  /** The whole axis, over all runs that share it. */
  domain(view: View): readonly [number, number];
}

/** A chart that shares its axis with the others. */
interface RequestChartOptions extends RequestCharts {
  readonly title: string;
  /** What the chart shows, for people who do not see it. */
  readonly label: string;
  yTitle(view: View): string;
  readonly height: number;
  /** Room above the plot for marks. */
  readonly top: number;
  /** Index of the run that is drawn; the chosen one unless given. */
  readonly run?: number;
  yMax(): number;
  yText(value: number): string;
  draw(drawing: Drawing): void;
  /** Value of a request that is marked where the cursor is. */
  valueAt?(index: number): number;
  /** Draws what else follows the reader; called alone while the pointer moves. */
  drawOver?(drawing: Drawing, layer: SVGGElement): void;
  /** Hears clicks; the nearest request is chosen unless given. */
  click?(px: number, py: number, drawing: Drawing): void;
}

const RIGHT = 12;
/** A drag shorter than this is a click. */
const MIN_DRAG_PX = 6;
const ZOOM_STEP = 1.6;

/** Creates a chart over requests in a figure of its own and keeps it up to date. */
export function createRequestChart(store: Store, options: RequestChartOptions): HTMLElement {
  const { height, top, model, domain, valueAt } = options;
  const run = (): number => options.run ?? store.view.run;
  const keys = 'Left and right move over requests, Enter chooses one, plus and minus zoom, 0 shows all.';
  const chart = createChart({
    title: options.title,
    label: `${options.label} ${keys}`,
    top,
    height,
    right: RIGHT,
    draw() {
      const now = drawing();
      drawAxes(now);
      options.draw(now);
      redrawOver();
    },
  });
  const { svg, plot, over } = chart;
  const brush = s('rect.brush', { y: top, height, visibility: 'hidden' });
  over.before(brush);

  const drawing = (): Drawing => {
    const { view } = store;
    const x = linearScale(rangeOf(view, domain(view)), chart.across());
    const y = linearScale([0, options.yMax() || 1], chart.up);
    const px = (place: number): number | null => (place < x.from || place > x.to ? null : x.px(place));
    return { view, x, y, plot, px, full: { y1: top, y2: top + height } };
  };
  const drawAxes = ({ view, x, y }: Drawing): void => {
    const [left, right] = chart.across();
    const wanted = (right - left) / 90;
    const isTime = view.axis === 'time';
    const ticks = isTime
      ? timeTicks(x.from, x.to, wanted)
      : niceTicks(x.from, x.to, wanted).filter(Number.isInteger);
    const step = (ticks[1] ?? 0) - (ticks[0] ?? 0);
    chart.axes(
      {
        scale: x,
        title: isTime ? 'time since the start (h:mm)' : 'request',
        ticks,
        text: (value) => (isTime ? clockTick(value, step) : String(value)),
      },
      {
        scale: y,
        title: options.yTitle(view),
        ticks: niceTicks(y.from, y.to, height / 34),
        text: options.yText,
      },
      { x: left, y: top + height + 31 },
    );
  };
  const redrawOver = (): void => {
    const now = drawing();
    const { view, full, y } = now;
    over.replaceChildren();
    if (view.run !== run()) return;
    const pxOf = (index: number | null): number | null =>
      index === null ? null : now.px(model().x(index, view.axis));
    const chosen = pxOf(view.request);
    if (chosen !== null) over.append(s('line.chosen', { x1: chosen, x2: chosen, ...full }));
    options.drawOver?.(now, over);
    const at = pxOf(view.cursor);
    if (at === null) return;
    over.append(s('line.hair', { x1: at, x2: at, ...full }));
    if (valueAt !== undefined)
      over.append(s('circle.dot', { cx: at, cy: y.px(valueAt(view.cursor!)), r: 4 }));
  };
  const hover = (index: number | null, place: Place | null): void =>
    options.tooltip.show(index === null ? null : { model: model(), index }, place);
  const zoom = (factor: number, about: number | null): void =>
    store.update({ range: zoomed(store.view, domain(store.view), factor, about) });
  const choose = (px: number, { x, view }: Drawing): void =>
    store.update({ request: model().nearest(x.value(px), view.axis) });

  let dragFrom: number | null = null;
  svg.addEventListener('pointerdown', (event) => {
    if (event.button === 0) dragFrom = pointIn(svg, event).px;
  });
  svg.addEventListener('pointermove', (event) => {
    const { px } = pointIn(svg, event);
    if (dragFrom !== null && Math.abs(px - dragFrom) >= MIN_DRAG_PX) {
      if (!svg.hasPointerCapture(event.pointerId)) svg.setPointerCapture(event.pointerId);
      brush.setAttribute('visibility', 'visible');
      brush.setAttribute('x', String(Math.min(px, dragFrom)));
      brush.setAttribute('width', String(Math.abs(px - dragFrom)));
    }
    const index = model().nearest(drawing().x.value(px), store.view.axis);
    if (store.view.run === run()) store.update({ cursor: index });
    hover(index, event);
  });
  const endDrag = (): number | null => {
    const from = dragFrom;
    dragFrom = null;
    brush.setAttribute('visibility', 'hidden');
    return from;
  };
  svg.addEventListener('pointerup', (event) => {
    const from = endDrag();
    if (from === null) return;
    const { px, py } = pointIn(svg, event);
    const now = drawing();
    if (Math.abs(px - from) < MIN_DRAG_PX) {
      if (options.click === undefined) choose(px, now);
      else options.click(px, py, now);
      return;
    }
    const ends = [now.x.value(Math.min(px, from)), now.x.value(Math.max(px, from))] as const;
    store.update({ range: clampRange(ends, domain(store.view)) });
  });
  svg.addEventListener('pointercancel', endDrag);
  svg.addEventListener('pointerleave', () => hover(null, null));
  svg.addEventListener('blur', () => hover(null, null));
  svg.addEventListener('dblclick', () => store.update({ range: null }));
  svg.addEventListener(
    'wheel',
    (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      zoom(event.deltaY < 0 ? ZOOM_STEP : 1 / ZOOM_STEP, drawing().x.value(pointIn(svg, event).px));
    },
    { passive: false },
  );
  const step = (stride: number): void => {
    const { axis, cursor } = store.view;
    const order = model().order(axis);
    const position = cursor === null ? -1 : order.indexOf(cursor);
    const next = order[Math.max(0, Math.min(order.length - 1, position + stride))] ?? null;
    store.update({ cursor: next });
    const box = svg.getBoundingClientRect();
    const clientX = box.left + (next === null ? 0 : drawing().x.px(model().x(next, axis)));
    hover(next, { clientX, clientY: box.top + top });
  };
  svg.addEventListener('keydown', (event) => {
    if (store.view.run !== run()) store.update(toRun(run()));
    const { cursor, axis } = store.view;
    const about = cursor === null ? null : model().x(cursor, axis);
    const stride = event.shiftKey ? 10 : 1;
    const showAll = (): void => {
      store.update({ range: null });
      hover(null, null);
    };
    const actions: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => step(-stride),
      ArrowRight: () => step(stride),
      '+': () => zoom(ZOOM_STEP, about),
      '=': () => zoom(ZOOM_STEP, about),
      '-': () => zoom(1 / ZOOM_STEP, about),
      '0': showAll,
      Escape: showAll,
      ...(cursor === null ? {} : { Enter: () => store.update({ request: cursor }) }),
    };
    const action = ownValue(actions, event.key);
    if (action === undefined) return;
    event.preventDefault();
    action();
  });
  store.watch(['run', 'axis', 'range', 'event'], chart.redraw);
  store.watch(['cursor', 'request'], redrawOver);
  return chart.figure;
}

/** One request of a run. */
export interface RequestRef {
  readonly model: ChartModel;
  readonly index: number;
}

type Lines = Tip['lines'];

function tokenLines({ model, index }: RequestRef): Lines {
  const { read, input, output } = model.run.requests;
  const prompt = model.prompt[index]!;
  const share = formatShare(prompt === 0 ? null : read[index]! / prompt);
  return [
    ['prompt', `${formatCount(prompt)} tokens`],
    ['cache read', `${formatCount(read[index]!)} (${share})`],
    ['cache written', formatCount(model.written[index]!)],
    ['uncached', formatCount(input[index]!)],
    ['output', formatCount(output[index]!)],
  ];
}

/** What a simulated request was: `request 12 · turn 12 · main`. */
export function requestTip(ref: RequestRef): Tip {
  const { model, index } = ref;
  const { requests, names } = model.run;
  const cause = requests.cause[index]!;
  const again = (): string =>
    `${formatCount(requests.rewritten[index]!)} (${causeWords(names.causes[cause]!)})`;
  return {
    title: `request ${model.number(index)} · turn ${requests.turn[index]} · ${names.purposes[requests.purpose[index]!]}`,
    lines: [
      ['time', clock(requests.t[index]!)],
      ...tokenLines(ref),
      ['latency', formatDuration(requests.latencyMs[index]!)],
      ['cost', formatMoney(model.cost[index]! / 1e9)],
      ...(cause < 0 ? [] : [['written again', again()] as const]),
    ],
  };
}

/** What a recorded request was. */
export function recordedTip(ref: RequestRef): Tip {
  const { model, index } = ref;
  const { requests, names } = model.run;
  return {
    title: `request ${formatCount(model.number(index))}`,
    lines: [
      ['conversation', names.purposes[requests.purpose[index]!]!],
      ['number in it', formatCount(requests.turn[index]!)],
      ['since the start', clock(requests.t[index]!)],
      ...tokenLines(ref),
      ['model', names.models[requests.model[index]!]!],
      ['cost', formatMoney(model.cost[index]! / 1e9)],
    ],
  };
}
