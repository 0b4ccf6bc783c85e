import { formatCount, formatShare } from '../../../core/base/format.js';
import { getOrMake } from '../../../core/base/once.js';
import type { ChartModel } from '../../page-data/run-model.js';
import { h, s } from '../widgets/dom.js';
import { legend } from '../widgets/page-parts.js';
import { short } from '../widgets/scale.js';
import type { Store } from '../widgets/store.js';
import { tipLines } from '../widgets/tooltip.js';
import { area, steps } from './prompt-charts.js';
import { largestPrompt } from './prompt-paths.js';
import { createRequestChart, type RequestCharts } from './request-chart.js';

/** A part of the prompts, request by request. */
interface Layer {
  readonly title: string;
  readonly color: string;
  readonly tokens: Float64Array;
}

/** What fills the prompts of the chosen run or session. */
export interface FillChart {
  readonly parts: readonly HTMLElement[];
  /** What fills the prompt of a request, the largest part first. */
  describe(index: number): readonly HTMLElement[];
}

/** What the chart needs besides the requests. */
interface FillChartOptions extends RequestCharts {
  /** Places of compactions on the axis. */
  compactions(): readonly number[];
}

function layersOf({ run: { fill = [] } }: ChartModel): readonly Layer[] {
  return fill.map(({ title, color, grown }) => {
    const tokens = new Float64Array(grown.length);
    let held = 0;
    for (const [i, more] of grown.entries()) {
      held += more;
      tokens[i] = held;
    }
    return { title, color, tokens };
  });
}

/** Creates the chart: parts of prompts stacked over the requests of the main conversation, with its compactions. */
export function createFillChart(store: Store, options: FillChartOptions): FillChart {
  const { model, compactions } = options;
  const made = new Map<ChartModel, readonly Layer[]>();
  const layers = (): readonly Layer[] => {
    return getOrMake(made, model(), () => layersOf(model()));
  };
  const mainOf = (): readonly number[] => (model().main.length > 0 ? model().main : model().order('time'));
  const chart = createRequestChart(store, {
    ...options,
    title: 'What fills the context',
    label: 'Prompt of each request of the main conversation, split by where its content comes from.',
    yTitle: () => 'prompt (tokens)',
    height: 190,
    top: 14,
    yMax: () => largestPrompt(model()),
    yText: short,
    draw(drawing) {
      const { plot, x, y, view, px, full } = drawing;
      const points = steps(model(), drawing, mainOf());
      const end = x.px(Math.min(x.to, model().domain(view.axis)[1]));
      const heights = new Float64Array(model().count);
      for (const { color, tokens } of layers()) {
        const below = heights.slice();
        for (let i = 0; i < heights.length; i++) heights[i]! += tokens[i]!;
        const top = heights.slice();
        const d = area(
          points,
          end,
          (index) => y.px(below[index]!),
          (index) => y.px(top[index]!),
        );
        plot.append(s('path.filled', { d, fill: color }));
      }
      for (const place of compactions()) {
        const at = px(place);
        if (at !== null)
          plot.append(
            s('line.compacted', { x1: at, x2: at, ...full }),
            s('path.compacted', { d: `M${at - 5},1h10l-5,9z` }),
          );
      }
    },
  });
  const names = h('div');
  const describe = (): void => {
    const entries = layers().map(({ title, color }) => [title, color] as const);
    const marks = compactions().length > 0 ? [['▾ compaction', 'transparent'] as const] : [];
    names.replaceChildren(legend([...entries, ...marks]));
    for (const part of [chart, names]) part.toggleAttribute('hidden', entries.length === 0);
  };
  store.watch(['run'], describe);
  describe();
  return {
    parts: [chart, names],
    describe(index) {
      const prompt = model().prompt[index]!;
      const held = layers()
        .map(({ title, tokens }) => [title, tokens[index]!] as const)
        .filter(([, tokens]) => tokens > 0)
        .sort((a, b) => b[1] - a[1]);
      if (held.length === 0) return [];
      const lines = held.map(
        ([title, tokens]) => [title, `${formatCount(tokens)} (${formatShare(tokens / prompt)})`] as const,
      );
      return [h('div.lines', ...tipLines({ title: '', lines }))];
    },
  };
}
