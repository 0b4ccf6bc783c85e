import type { Axis, RunModel } from '../../page-data/run-model.js';
import { h } from '../widgets/dom.js';
import type { Store, View } from '../widgets/store.js';
import type { Tooltip } from '../widgets/tooltip.js';
import { createContextChart } from './context-chart.js';
import { createFillChart, type FillChart } from './fill-chart.js';
import { createPromptCharts } from './prompt-charts.js';
import type { RequestRef } from './request-tip.js';

/** Top of the context axis: the largest context, and limits that are not far above it. */
function highest(models: readonly RunModel[]): number {
  let used = 0;
  for (const { count, prompt, run } of models) {
    for (let i = 0; i < count; i++) used = Math.max(used, prompt[i]! + run.requests.output[i]!);
  }
  const limits = models.flatMap(({ run }) => run.thresholds.map(({ tokens }) => tokens));
  return Math.max(used, ...limits.filter((tokens) => tokens <= used * 2.5)) * 1.06;
}

/** The places of the compactions of a run's main conversations. */
function compactionsOf(model: RunModel, axis: Axis): readonly number[] {
  const main = new Set(model.run.threads.flatMap(({ id, parent }) => (parent === null ? [id] : [])));
  return model.run.events.flatMap((event) =>
    event.kind === 'layer' && event.action === 'compact' && event.outcome === 'done' && main.has(event.thread)
      ? [model.eventX(event, axis)]
      : [],
  );
}

/** The charts over time or requests, and what fills the prompt of one. */
interface TimelineView extends Pick<FillChart, 'describe'> {
  readonly element: HTMLElement;
}

/** Creates the charts over time or requests, which share their axis, with the tools to move on it. */
export function createTimelineView(
  store: Store,
  models: readonly RunModel[],
  tooltip: Tooltip<RequestRef>,
  onEvent: () => void,
): TimelineView {
  const model = (): RunModel => models[store.view.run]!;
  const domain = (view: View): readonly [number, number] => {
    const all = models.map((item) => item.domain(view.axis));
    return [Math.min(...all.map(([from]) => from)), Math.max(...all.map(([, to]) => to))];
  };
  const shared = { tooltip, domain, yMax: highest(models), height: models.length === 1 ? 220 : 130, onEvent };
  const contexts = models.map((item, run) => {
    const title = models.length === 1 ? 'Context size and what happened to it' : item.run.name;
    return createContextChart(store, { ...shared, run, model: item, title });
  });
  const { tools, charts } = createPromptCharts(store, { tooltip, model, domain });
  const filled = createFillChart(store, {
    tooltip,
    model,
    domain,
    compactions: () => compactionsOf(model(), store.view.axis),
  });
  const noFill = h('p.quiet', '');
  const tellNone = (): void => {
    noFill.textContent = model().run.noFill ?? '';
    noFill.toggleAttribute('hidden', noFill.textContent === '');
  };
  store.watch(['run'], tellNone);
  tellNone();
  const element = h(
    'section',
    { id: 'timeline' },
    h('h2', 'Timeline'),
    ...tools,
    ...contexts,
    ...filled.parts,
    noFill,
    ...charts,
  );
  return { element, describe: filled.describe };
}
