import type { PageData } from '../../page-data/page-data.js';
import { createAxisTools, legend } from '../widgets/axis-tools.js';
import { h } from '../widgets/dom.js';
import type { Store, View } from '../widgets/store.js';
import type { Tooltip } from '../widgets/tooltip.js';
import { createContextChart } from './context-chart.js';
import { createCostChart } from './cost-chart.js';
import type { RequestRef } from './request-tip.js';
import type { RunModel } from './run-model.js';
import { createSplitChart } from './split-chart.js';

/** What the timeline is made from. */
export interface TimelineOptions {
  readonly data: PageData;
  readonly models: readonly RunModel[];
  readonly tooltip: Tooltip<RequestRef>;
  onEvent(): void;
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

  const { tools, readout, causes } = createAxisTools(store, model, domain);
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
  const shared = { prompt, tooltip, model, domain };
  return h(
    'section',
    { id: 'timeline' },
    h('h2', 'Timeline'),
    tools,
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
