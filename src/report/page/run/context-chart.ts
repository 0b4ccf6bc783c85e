import type { PageData, PageEvent } from '../../page-data/page-data.js';
import { s } from '../widgets/dom.js';
import { createFrame, type Drawing } from '../widgets/frame.js';
import { labelEnds } from '../widgets/label-ends.js';
import { short } from '../widgets/scale.js';
import { type Store, toRun, type View } from '../widgets/store.js';
import type { Tooltip } from '../widgets/tooltip.js';
import { eventLane, lanesOf } from './lanes.js';
import type { RequestRef } from './request-tip.js';
import type { RunModel } from './run-model.js';

const LANE_PX = 20;
/** Marks closer than this are one mark. */
const MARK_GAP_PX = 3;
const REACH_PX = 14;

/** What a chart of the context is made for. */
export interface ContextChartOptions {
  readonly data: PageData;
  readonly run: number;
  readonly model: RunModel;
  readonly title: string;
  readonly height: number;
  readonly tooltip: Tooltip<RequestRef>;
  readonly yMax: number;
  domain(view: View): readonly [number, number];
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
    const value = context[index]!;
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
  }
  close();
  return path;
}

function drawGaps(model: RunModel, { plot, x, view, height }: Drawing, top: number): void {
  for (const [from, to] of model.run.gaps) {
    if (view.axis === 'time') {
      const left = Math.max(x.px(from), x.px(x.from));
      const right = Math.min(x.px(to), x.px(x.to));
      if (right <= left) continue;
      plot.append(s('rect.idle', { x: left, y: top, width: right - left, height }));
      if (right - left > 70) {
        const minutes = (to - from) / 60_000;
        const text =
          minutes >= 120 ? `idle ${(minutes / 60).toFixed(1)} h` : `idle ${Math.round(minutes)} min`;
        plot.append(
          s('text.quiet', { x: (left + right) / 2, y: top + height - 6, 'text-anchor': 'middle' }, text),
        );
      }
      continue;
    }
    const index = model.nearest(to, 'time');
    if (index === null) continue;
    const at = x.px(model.number(index) - 0.5);
    if (at < x.px(x.from) || at > x.px(x.to)) continue;
    plot.append(s('line.gap', { x1: at, x2: at, y1: top, y2: top + height }));
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

/** Context size over the axis, with lanes of marks above it for everything that happened. */
export function createContextChart(store: Store, options: ContextChartOptions): HTMLElement {
  const { model, data, run } = options;
  const { events } = model.run;
  const lanes = lanesOf(events, data.colors.layers);
  const top = lanes.length * LANE_PX + 6;
  const middle = (lane: number): number => lane * LANE_PX + LANE_PX / 2;

  const drawLanes = ({ plot, x, view }: Drawing): void => {
    for (const [row, lane] of lanes.entries()) {
      const y = middle(row);
      plot.append(
        s('line.lane', { x1: x.px(x.from), x2: x.px(x.to), y1: y, y2: y }),
        s('text.lanename', { x: x.px(x.from) - 8, y: y + 4, 'text-anchor': 'end' }, lane.short),
      );
      let last = Number.NEGATIVE_INFINITY;
      for (const index of lane.events) {
        const event = events[index]!;
        const place = model.eventX(event, view.axis);
        if (place < x.from || place > x.to) continue;
        const px = x.px(place);
        if (px - last < MARK_GAP_PX && view.event !== index) continue;
        last = px;
        plot.append(mark(event, index, px, y, lane.color));
      }
    }
  };
  const mark = (event: PageEvent, index: number, px: number, y: number, color: string): SVGElement => {
    const bad =
      event.outcome.startsWith('failed') || event.outcome === 'unexpected' || event.kind === 'refused';
    const title = s('title', `${event.name} ${event.action} ${event.outcome}`.trim());
    return s(
      'circle',
      { class: bad ? 'mark bad' : 'mark', cx: px, cy: y, r: 5, fill: color, 'data-event': index },
      title,
    );
  };

  return createFrame(store, {
    title: options.title,
    label: `${options.title}: context size with ${events.length} events.`,
    yTitle: () => 'context (tokens)',
    height: options.height,
    lanes: top,
    model: () => model,
    run: () => run,
    domain: options.domain,
    yMax: () => options.yMax,
    yText: short,
    draw(drawing) {
      const { plot } = drawing;
      drawGaps(model, drawing, top);
      drawLimits(model, drawing);
      for (const thread of model.others) {
        plot.append(s('path.line.faint', { d: contextPath(model, thread, drawing) }));
      }
      plot.append(s('path.line', { d: contextPath(model, model.main, drawing) }));
      drawLimitNames(model, drawing);
      drawLanes(drawing);
    },
    cursor({ view, x, y, height }, layer) {
      if (view.run !== run) return;
      const chosen = view.event === null ? undefined : events[view.event];
      if (chosen !== undefined) {
        const at = x.px(model.eventX(chosen, view.axis));
        const row = lanes.findIndex(({ key }) => key === eventLane(chosen));
        if (at >= x.px(x.from) && at <= x.px(x.to)) {
          layer.append(
            s('line.chosen', { x1: at, x2: at, y1: middle(row) + 8, y2: top + height }),
            s('circle.ring', { cx: at, cy: middle(row), r: 8 }),
          );
        }
      }
      if (view.cursor === null) return;
      const px = x.px(model.x(view.cursor, view.axis));
      if (px < x.px(x.from) || px > x.px(x.to)) return;
      const value = model.run.requests.context[view.cursor]!;
      layer.append(
        s('line.hair', { x1: px, x2: px, y1: top, y2: top + height }),
        s('circle.dot', { cx: px, cy: y.px(value), r: 4 }),
      );
    },
    click(px, py, { x, view }) {
      const row = Math.floor(py / LANE_PX);
      const lane = py < top ? lanes[row] : undefined;
      let best: number | null = null;
      let distance = REACH_PX;
      for (const index of lane?.events ?? []) {
        const away = Math.abs(x.px(model.eventX(events[index]!, view.axis)) - px);
        if (away < distance) {
          distance = away;
          best = index;
        }
      }
      if (best === null) {
        if (view.run !== run) store.update(toRun(run));
        return false;
      }
      store.update({ ...(view.run === run ? {} : toRun(run)), event: best });
      options.onEvent();
      return true;
    },
    hover: (index, place) => options.tooltip.show(index === null ? null : { model, index }, place),
  });
}
