import type { PageEvent } from '../../page-data/page-data.js';
import type { RunModel } from '../../page-data/run-model.js';
import { s } from '../widgets/dom.js';
import { labelEnds, short } from '../widgets/scale.js';
import { type Store, toRun } from '../widgets/store.js';
import { eventLane, lanesOf } from './lanes.js';
import { createRequestChart, type Drawing, type RequestCharts } from './request-chart.js';

const LANE_PX = 20;
/** Marks closer than this are one mark. */
const MARK_GAP_PX = 3;
const REACH_PX = 14;

/** What a chart of the context is made for. */
export interface ContextChartOptions extends Pick<RequestCharts, 'tooltip' | 'domain'> {
  readonly run: number;
  readonly model: RunModel;
  readonly title: string;
  readonly height: number;
  readonly yMax: number;
  onEvent(): void;
}

/** A line through requests: horizontal until the next one, thinned to the extremes of each pixel. */
function contextPath(model: RunModel, indexes: readonly number[], { x, y, view }: Drawing): string {
  const { context } = model.run.requests;
  let path = '';
  let column = Number.NaN;
  let low = 0;
  let high = 0;
  let last = 0;
  const close = (): void => {
    if (!Number.isNaN(column))
      path += `V${y.px(low).toFixed(1)}V${y.px(high).toFixed(1)}V${y.px(last).toFixed(1)}`;
  };
  let previous: number | null = null;
  for (const index of indexes) {
    const place = model.x(index, view.axis);
    if (place < x.from) {
      previous = index;
      continue;
    }
    // The line goes on to the end of the plot, where the next request is not shown.
    const value = context[place > x.to && previous !== null ? previous : index]!;
    const px = Math.round(x.px(Math.min(place, x.to)));
    if (px !== column) {
      close();
      if (path === '') {
        const before = previous === null ? null : context[previous]!;
        path =
          before === null
            ? `M${px},${y.px(value).toFixed(1)}`
            : `M${x.px(x.from)},${y.px(before).toFixed(1)}H${px}`;
      } else path += `H${px}`;
      column = px;
      low = value;
      high = value;
    }
    if (place > x.to) break;
    low = Math.min(low, value);
    high = Math.max(high, value);
    last = value;
    previous = index;
  }
  close();
  return path;
}

/** Idle times: shaded along time, a line before the next request along requests. */
function drawGaps(model: RunModel, { plot, x, view, full, px }: Drawing): void {
  for (const [from, to] of model.run.gaps) {
    if (view.axis === 'request') {
      const index = model.nearest(to, 'time');
      const at = index === null ? null : px(model.number(index) - 0.5);
      if (at !== null) plot.append(s('line.gap', { x1: at, x2: at, ...full }));
      continue;
    }
    const left = x.px(Math.max(from, x.from));
    const width = x.px(Math.min(to, x.to)) - left;
    if (width <= 0) continue;
    plot.append(s('rect.idle', { x: left, y: full.y1, width, height: full.y2 - full.y1 }));
    if (width <= 70) continue;
    const minutes = (to - from) / 60_000;
    const text = minutes >= 120 ? `idle ${(minutes / 60).toFixed(1)} h` : `idle ${Math.round(minutes)} min`;
    const place = { x: left + width / 2, y: full.y2 - 6, 'text-anchor': 'middle' };
    plot.append(s('text.quiet', place, text));
  }
}

/** Limits that the chart is high enough for. */
function limitsIn(model: RunModel, { y }: Drawing): RunModel['run']['thresholds'] {
  return model.run.thresholds.filter(({ tokens }) => tokens <= y.to);
}

function drawLimits(model: RunModel, drawing: Drawing): void {
  const { plot, x, y } = drawing;
  for (const { tokens } of limitsIn(model, drawing)) {
    const at = y.px(tokens);
    plot.append(s('line.limit', { x1: x.px(x.from), x2: x.px(x.to), y1: at, y2: at }));
  }
}

/** Names the limits above their lines, over whatever is drawn there. */
function drawLimitNames(model: RunModel, drawing: Drawing): void {
  const { plot, x, y } = drawing;
  const names = limitsIn(model, drawing).map(({ name, tokens }) => ({
    y: y.px(tokens) - 3,
    text: `${name} ${short(tokens)}`,
  }));
  const ends = labelEnds(names, x.px(x.to) - 4);
  for (const [i, { y: at, text }] of names.entries())
    plot.append(s('text.quiet.halo', { x: ends[i]!, y: at, 'text-anchor': 'end' }, text));
}

function eventMark(event: PageEvent, index: number, px: number, y: number, color: string): SVGElement {
  const isBad =
    event.outcome.startsWith('failed') || event.outcome === 'unexpected' || event.kind === 'refused';
  return s(
    isBad ? 'circle.mark.bad' : 'circle.mark',
    { cx: px, cy: y, r: 5, fill: color, 'data-event': index },
    s('title', `${event.name} ${event.action} ${event.outcome}`.trim()),
  );
}

/** Context size over the axis, with lanes of marks above it for everything that happened. */
export function createContextChart(store: Store, options: ContextChartOptions): HTMLElement {
  const { model, run, onEvent } = options;
  const { events } = model.run;
  const lanes = lanesOf(events);
  const top = lanes.length * LANE_PX + 6;
  const middle = (lane: number): number => lane * LANE_PX + LANE_PX / 2;

  const drawLanes = ({ plot, x, px, view }: Drawing): void => {
    for (const [row, lane] of lanes.entries()) {
      const y = middle(row);
      plot.append(
        s('line.lane', { x1: x.px(x.from), x2: x.px(x.to), y1: y, y2: y }),
        s('text.lanename', { x: x.px(x.from) - 8, y: y + 4, 'text-anchor': 'end' }, lane.short),
      );
      let last = Number.NEGATIVE_INFINITY;
      for (const index of lane.events) {
        const event = events[index]!;
        const at = px(model.eventX(event, view.axis));
        if (at === null || (at - last < MARK_GAP_PX && view.event !== index)) continue;
        last = at;
        plot.append(eventMark(event, index, at, y, lane.color));
      }
    }
  };

  return createRequestChart(store, {
    ...options,
    label: `${options.title}: context size with ${events.length} events.`,
    yTitle: () => 'context (tokens)',
    top,
    model: () => model,
    yMax: () => options.yMax,
    yText: short,
    draw(drawing) {
      const { plot } = drawing;
      drawGaps(model, drawing);
      drawLimits(model, drawing);
      for (const thread of model.others)
        plot.append(s('path.line.faint', { d: contextPath(model, thread, drawing) }));
      plot.append(s('path.line', { d: contextPath(model, model.main, drawing) }));
      drawLimitNames(model, drawing);
      drawLanes(drawing);
    },
    valueAt: (index) => model.run.requests.context[index]!,
    drawOver({ view, px, full }, layer) {
      const chosen = view.event === null ? undefined : events[view.event];
      const at = chosen === undefined ? null : px(model.eventX(chosen, view.axis));
      if (chosen === undefined || at === null) return;
      const y = middle(lanes.findIndex(({ key }) => key === eventLane(chosen)));
      layer.append(
        s('line.chosen', { x1: at, x2: at, y1: y + 8, y2: full.y2 }),
        s('circle.ring', { cx: at, cy: y, r: 8 }),
      );
    },
    click(px, py, { x, view }) {
      const lane = py < top ? lanes[Math.floor(py / LANE_PX)] : undefined;
      let best: number | null = null;
      let distance = REACH_PX;
      for (const index of lane?.events ?? []) {
        const away = Math.abs(x.px(model.eventX(events[index]!, view.axis)) - px);
        if (away >= distance) continue;
        distance = away;
        best = index;
      }
      store.update({ ...(view.run === run ? {} : toRun(run)), ...(best === null ? {} : { event: best }) });
      if (best !== null) onEvent();
    },
  });
}
