import { causePhrase } from '../charts/cost-series.js';
import { causeColors } from '../charts/palette.js';
import { formatCount, formatCounted, formatDuration, formatMoney, formatShare } from '../format.js';
import type { PageData } from '../page-data.js';
import { createContextChart } from './context-chart.js';
import { createCostChart } from './cost-chart.js';
import { h } from './dom.js';
import { zoomed } from './frame.js';
import type { RunModel } from './run-model.js';
import { createSplitChart } from './split-chart.js';
import type { Axis, Store, View } from './store.js';
import type { Tooltip } from './tooltip.js';

/** What the timeline is made from. */
export interface TimelineOptions {
  readonly data: PageData;
  readonly models: readonly RunModel[];
  readonly tooltip: Tooltip;
  onEvent(): void;
}

function legend(entries: readonly (readonly [string, string])[]): HTMLElement {
  const items = entries.map(([name, color]) => h('span', {}, h('i', { style: `background:${color}` }), name));
  return h('div', { class: 'legend' }, ...items);
}

/** The same part of the session on the other axis. */
function converted(model: RunModel, view: View, axis: Axis): readonly [number, number] | null {
  if (view.range === null || model.count === 0) return null;
  const from = model.nearest(view.range[0], view.axis)!;
  const to = model.nearest(view.range[1], view.axis)!;
  const places = [model.x(from, axis), model.x(to, axis)] as const;
  return axis === 'request'
    ? [places[0] - 0.5, places[1] + 0.5]
    : [places[0], Math.max(places[1], places[0] + 1)];
}

/** Top of the context axis: the largest context, and limits that are not far above it. */
function highest(models: readonly RunModel[]): number {
  let used = 0;
  for (const { count, prompt, run } of models) {
    for (let i = 0; i < count; i++) used = Math.max(used, prompt[i]! + run.requests.output[i]!);
  }
  const limits = models.flatMap(({ run }) => run.thresholds.map(({ tokens }) => tokens));
  return Math.max(used, ...limits.filter((tokens) => tokens <= used * 2.5)) * 1.06;
}

/** The charts over time or requests, which share their axis, with the tools to move on it. */
export function createTimelineView(
  store: Store,
  { data, models, tooltip, onEvent }: TimelineOptions,
): HTMLElement {
  const model = (): RunModel => models[store.view.run]!;
  const domain = (view: View): readonly [number, number] => {
    const all = models.map((item) => item.domain(view.axis));
    return [Math.min(...all.map(([from]) => from)), Math.max(...all.map(([, to]) => to))];
  };
  const top = highest(models);

  const axisButton = (axis: Axis, text: string): HTMLButtonElement => {
    const button = h(
      'button',
      { type: 'button', 'aria-pressed': store.view.axis === axis ? 'true' : 'false' },
      text,
    );
    button.addEventListener('click', () =>
      store.update({ axis, range: converted(model(), store.view, axis) }),
    );
    return button;
  };
  const byTime = axisButton('time', 'by time');
  const byRequest = axisButton('request', 'by request');
  const tool = (text: string, label: string, click: () => void): HTMLElement =>
    h('button', { type: 'button', 'aria-label': label, title: label, click }, text);
  const zoom = (factor: number) => (): void =>
    store.update({ range: zoomed(store.view, domain(store.view), factor, null) });
  const all = tool('show all', 'show all of the session', () => store.update({ range: null }));
  const readout = h('p', { class: 'readout', 'aria-live': 'polite' });
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
    const colors = causeColors(names);
    causes.replaceChildren(legend(names.map((name, index) => [causePhrase(name), colors[index]!])));
  };
  store.listen((view, before) => {
    if (view.run !== before.run || view.range !== before.range || view.axis !== before.axis) describe();
  });
  describe();

  const contexts = models.map((item, run) =>
    createContextChart(store, {
      data,
      run,
      model: item,
      title: models.length === 1 ? 'Context size and what happened to it' : item.run.name,
      height: models.length === 1 ? 220 : 130,
      tooltip,
      yMax: top,
      domain,
      onEvent,
    }),
  );
  const { prompt } = data.colors;
  const shared = { data, tooltip, model, domain };
  return h(
    'section',
    { id: 'timeline' },
    h('h2', {}, 'Timeline'),
    h(
      'div',
      { class: 'tools' },
      h('div', { class: 'group', role: 'group', 'aria-label': 'Axis' }, byTime, byRequest),
      h(
        'div',
        { class: 'group', role: 'group', 'aria-label': 'Zoom' },
        tool('−', 'Zoom out', zoom(1 / 1.6)),
        tool('+', 'Zoom in', zoom(1.6)),
        all,
      ),
      h('span', { class: 'quiet hint' }, 'drag to select, double-click for all, Ctrl + wheel to zoom'),
    ),
    readout,
    ...contexts,
    createSplitChart(store, shared),
    legend([
      ['cache read', prompt.read],
      ['cache written', prompt.written],
      ['uncached', prompt.uncached],
    ]),
    createCostChart(store, shared),
    causes,
  );
}
