import {
  formatCount,
  formatCounted,
  formatDuration,
  formatMoney,
  formatShare,
} from '../../../core/base/format.js';
import { causeColors, causePhrase } from '../../charts/palette.js';
import { type Axis, type ChartModel, paidPart } from '../../page-data/run-model.js';
import { zoomed } from '../widgets/axis-range.js';
import { h } from '../widgets/dom.js';
import { legend } from '../widgets/page-parts.js';
import type { Store, View } from '../widgets/store.js';
import type { RequestCharts } from './request-chart.js';

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
export interface AxisTools {
  readonly tools: HTMLElement;
  readonly readout: HTMLElement;
  /** Colours of the causes of cost of the shown run. */
  readonly causes: HTMLElement;
}

/** Creates the buttons of an axis and the sums over the part that is shown. */
export function createAxisTools(store: Store, { model, domain, causeColor }: RequestCharts): AxisTools {
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
