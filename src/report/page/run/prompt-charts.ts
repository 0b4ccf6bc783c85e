import {
  formatCount,
  formatCounted,
  formatDuration,
  formatMoney,
  formatShare,
} from '../../../core/base/format.js';
import { sum } from '../../../core/base/stats.js';
import { causeColors, causePhrase, PROMPT_COLORS } from '../../charts/palette.js';
import { type Axis, type ChartModel, type PaidPart, paidPart } from '../../page-data/run-model.js';
import { h, s } from '../widgets/dom.js';
import { legend } from '../widgets/page-parts.js';
import { short, zoomed } from '../widgets/scale.js';
import type { Store, View } from '../widgets/store.js';
import { brokenRequests, largestPrompt, PROMPT_PARTS, promptPaths } from './prompt-paths.js';
import { createRequestChart, type Drawing, type RequestCharts } from './request-chart.js';

/** Charts of the chosen run. */
export interface PromptChartsOptions extends RequestCharts {
  /** Whether requests that paid for content again are marked. */
  readonly breaks?: 'marked';
}

/** The prompt of each request as a bar: read from the cache, written to it, neither. */
function createSplitChart(store: Store, options: PromptChartsOptions): HTMLElement {
  const isMarked = options.breaks === 'marked';
  const top = isMarked ? 14 : 6;
  return createRequestChart(store, {
    ...options,
    title: 'Prompt of each request',
    label: 'Prompt of each request, split into tokens read from the cache, written to it, and uncached.',
    yTitle: () => 'prompt (tokens)',
    height: 150,
    top,
    yMax: () => largestPrompt(options.model()),
    yText: short,
    draw({ view, x, y, plot, px }) {
      const model = options.model();
      const paths = promptPaths(model, view.axis, x, y);
      for (const part of PROMPT_PARTS) plot.append(s('path', { d: paths[part], fill: PROMPT_COLORS[part] }));
      for (const index of isMarked ? brokenRequests(model) : []) {
        const at = px(model.x(index, view.axis));
        if (at !== null) plot.append(s('path.broken', { d: `M${at - 5},1h10l-5,9z`, 'data-request': index }));
      }
    },
    click: (px, py, { x, view: { axis } }) => {
      const model = options.model();
      const at = x.value(px);
      const marks = isMarked && py < top ? brokenRequests(model) : [];
      const near = (index: number): number => Math.abs(model.x(index, axis) - at);
      const [mark] = [...marks].sort((a, b) => near(a) - near(b));
      store.update({ request: mark ?? model.nearest(at, axis) });
    },
  });
}

/** Indexes of the requests to draw: the last one of each pixel, and the one before the visible part. */
export function steps(
  model: ChartModel,
  { view, x }: Drawing,
  order: readonly number[] = model.order(view.axis),
): readonly (readonly [number, number])[] {
  const found: [number, number][] = [];
  for (const index of order) {
    const place = model.x(index, view.axis);
    if (place > x.to) break;
    const px = Math.max(Math.round(x.px(place)), x.px(x.from));
    if (found.length > 0 && found.at(-1)![0] === px) found.pop();
    found.push([px, index]);
  }
  return found;
}

/** The outline of a stretch between two heights that change from request to request. */
export function area(
  points: readonly (readonly [number, number])[],
  end: number,
  bottom: (index: number) => number,
  top: (index: number) => number,
): string {
  if (points.length === 0) return '';
  const there = points.map(
    ([px, index], i) => `${i === 0 ? 'M' : 'H'}${px}${i === 0 ? ',' : 'V'}${top(index).toFixed(1)}`,
  );
  let back = `H${end}V${bottom(points.at(-1)![1]).toFixed(1)}`;
  for (let i = points.length - 1; i >= 0; i--) {
    back += `H${points[i]![0]}`;
    if (i > 0) back += `V${bottom(points[i - 1]![1]).toFixed(1)}`;
  }
  return `${there.join('')}${back}z`;
}

/** What the chosen run has paid so far, by cause; of a part of the axis, since its beginning. */
function createCostChart(store: Store, options: PromptChartsOptions): HTMLElement {
  const part = (): PaidPart => paidPart(options.model(), store.view.range, store.view.axis);
  return createRequestChart(store, {
    ...options,
    title: 'Cumulative cost by cause',
    label: 'Cost paid so far, by what was paid for.',
    yTitle: ({ range }) =>
      range === null ? 'paid so far (US dollars)' : 'paid since the beginning of this part (US dollars)',
    height: 150,
    top: 6,
    yMax: () => sum(part().within) / 1e9,
    yText: (value) =>
      formatMoney(value)
        .replace(/\.00$/, '')
        .replace(/(\.\d*?)0+$/, '$1'),
    draw(drawing) {
      const { plot, x, y, view } = drawing;
      const model = options.model();
      const points = steps(model, drawing);
      const paid = model.paid(view.axis);
      const { before } = part();
      const sumTo = (cause: number, index: number): number => {
        let paidFor = 0;
        for (let i = 0; i < cause; i++) paidFor += paid[i]![index]! - before[i]!;
        return y.px(paidFor / 1e9);
      };
      const end = x.px(Math.min(x.to, model.domain(view.axis)[1]));
      for (const [cause, fill] of causeColors(model.causes, options.causeColor).entries()) {
        const d = area(
          points,
          end,
          (index) => sumTo(cause, index),
          (index) => sumTo(cause + 1, index),
        );
        plot.append(s('path', { d, fill }));
      }
    },
    valueAt: (index) => {
      const paid = options.model().paid(store.view.axis);
      return (sum(paid.map((column) => column[index]!)) - sum(part().before)) / 1e9;
    },
  });
}

/** The tools of the axis, and the charts of prompts and cost of the chosen run. */
export function createPromptCharts(
  store: Store,
  options: PromptChartsOptions,
): { readonly tools: readonly HTMLElement[]; readonly charts: readonly HTMLElement[] } {
  const { tools, readout, causes } = createAxisTools(store, options);
  const parts = legend([
    ['cache read', PROMPT_COLORS.read],
    ['cache written', PROMPT_COLORS.written],
    ['uncached', PROMPT_COLORS.uncached],
    ...(options.breaks === 'marked' ? [['▾ break', 'transparent'] as const] : []),
  ]);
  return {
    tools: [tools, readout],
    charts: [createSplitChart(store, options), parts, createCostChart(store, options), causes],
  };
}

/** The same part of the session on the other axis. */
function converted(model: ChartModel, view: View, axis: Axis): readonly [number, number] | null {
  if (view.range === null || model.count === 0) return null;
  const from = model.nearest(view.range[0], view.axis)!;
  const to = model.nearest(view.range[1], view.axis)!;
  const places = [model.x(from, axis), model.x(to, axis)] as const;
  return axis === 'request'
    ? [places[0] - 0.5, places[1] + 0.5]
    : [places[0], Math.max(places[1], places[0] + 1)];
}

/** What moves on the axis of charts, and says what is shown of it. */
interface AxisTools {
  readonly tools: HTMLElement;
  readonly readout: HTMLElement;
  /** Colours of the causes of cost of the shown run. */
  readonly causes: HTMLElement;
}

/** Creates the buttons of an axis and the sums over the part that is shown. */
function createAxisTools(store: Store, { model, domain, causeColor }: RequestCharts): AxisTools {
  const axisButton = (axis: Axis, text: string): HTMLElement =>
    h('button', { click: () => store.update({ axis, range: converted(model(), store.view, axis) }) }, text);
  const byRequest = axisButton('request', 'by request');
  const byTime = axisButton('time', 'by time');
  const tool = (text: string, label: string, click: () => void): HTMLElement =>
    h('button', { 'aria-label': label, title: label, click }, text);
  const zoom = (factor: number) => (): void =>
    store.update({ range: zoomed(store.view, domain(store.view), factor, null) });
  const all = tool('show all', 'show all of the session', () => store.update({ range: null }));
  const readout = h('p.readout', { 'aria-live': 'polite' });
  const causes = h('div');

  const describe = (): void => {
    const { view } = store;
    byTime.setAttribute('aria-pressed', String(view.axis === 'time'));
    byRequest.setAttribute('aria-pressed', String(view.axis === 'request'));
    all.toggleAttribute('disabled', view.range === null);
    const sums = model().sums(view.range, view.axis);
    const [from, to] = view.range ?? model().domain(view.axis);
    const span = view.axis === 'time' ? `${formatDuration(to - from)}: ` : '';
    readout.textContent = `${view.range === null ? 'Whole session' : 'Selected'} · ${span}${formatCounted(sums.requests, 'request')}, ${formatMoney(sums.cost / 1e9)}, ${formatCount(sums.prompt)} prompt tokens, ${formatShare(sums.prompt === 0 ? null : sums.read / sums.prompt)} from the cache`;
    const names = model().causes;
    const colors = causeColors(names, causeColor);
    const { within } = paidPart(model(), view.range, view.axis);
    causes.replaceChildren(
      legend(names.flatMap((name, i) => (within[i]! > 0 ? [[causePhrase(name), colors[i]!] as const] : []))),
    );
  };
  store.watch(['run', 'range', 'axis'], describe);
  describe();
  const tools = h(
    'div.tools',
    h('div.group', { role: 'group', 'aria-label': 'Axis' }, byRequest, byTime),
    h(
      'div.group',
      { role: 'group', 'aria-label': 'Zoom' },
      tool('−', 'Zoom out', zoom(1 / 1.6)),
      tool('+', 'Zoom in', zoom(1.6)),
      all,
    ),
    h('span.quiet.hint', 'drag to select, double-click for all, Ctrl + wheel to zoom'),
  );
  return { tools, readout, causes };
}
