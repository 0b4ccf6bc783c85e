import type { RunModel } from '../../page-data/run-model.js';
import { h } from '../widgets/dom.js';
import type { Store, View } from '../widgets/store.js';
import type { Tooltip } from '../widgets/tooltip.js';
import { createContextChart } from './context-chart.js';
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

/** The charts over time or requests, which share their axis, with the tools to move on it. */
export function createTimelineView(
  store: Store,
  models: readonly RunModel[],
  tooltip: Tooltip<RequestRef>,
  onEvent: () => void,
): HTMLElement {
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
  return h('section', { id: 'timeline' }, h('h2', 'Timeline'), ...tools, ...contexts, ...charts);
}
