import type { PromptColors } from '../../page-data/page-data.js';
import { s } from '../widgets/dom.js';
import { createFrame } from '../widgets/frame.js';
import { short } from '../widgets/scale.js';
import type { Store, View } from '../widgets/store.js';
import type { Tooltip } from '../widgets/tooltip.js';
import { brokenRequests, PROMPT_PARTS, promptPaths } from './prompt-paths.js';
import type { RequestRef } from './request-tip.js';
import type { ChartModel } from './run-model.js';

/** Charts of the chosen run. */
export interface RunChartOptions {
  readonly prompt: PromptColors;
  readonly tooltip: Tooltip<RequestRef>;
  /** Colour of a cause of breaks, where it has names of its own. */
  causeColor?(cause: string): string;
  /** Whether requests that paid for content again are marked. */
  readonly breaks?: 'marked';
  model(): ChartModel;
  domain(view: View): readonly [number, number];
}

/** The prompt of each request as a bar: read from the cache, written to it, neither. */
export function createSplitChart(store: Store, options: RunChartOptions): HTMLElement {
  const { prompt: colors } = options;
  const top = options.breaks === 'marked' ? 14 : 6;
  return createFrame(store, {
    title: 'Prompt of each request',
    label: 'Prompt of each request, split into tokens read from the cache, written to it, and uncached.',
    yTitle: () => 'prompt (tokens)',
    height: 150,
    lanes: top,
    model: options.model,
    run: () => store.view.run,
    domain: options.domain,
    yMax() {
      const { prompt } = options.model();
      let max = 0;
      for (let i = 0; i < prompt.length; i++) max = Math.max(max, prompt[i]!);
      return max;
    },
    yText: short,
    draw({ view, x, y, plot }) {
      const model = options.model();
      const paths = promptPaths(model, view.axis, x, y);
      for (const part of PROMPT_PARTS) plot.append(s('path', { d: paths[part], fill: colors[part] }));
      if (options.breaks !== 'marked') return;
      for (const index of brokenRequests(model)) {
        const place = model.x(index, view.axis);
        if (place < x.from || place > x.to) continue;
        const at = x.px(place);
        plot.append(s('path.broken', { d: `M${at - 5},1h10l-5,9z`, 'data-request': index }));
      }
    },
    cursor({ view, x, height }, layer) {
      if (view.cursor === null) return;
      const px = x.px(options.model().x(view.cursor, view.axis));
      if (px >= x.px(x.from) && px <= x.px(x.to)) {
        layer.append(s('line.hair', { x1: px, x2: px, y1: top, y2: top + height }));
      }
    },
    click: (px, py, drawing) => {
      const model = options.model();
      const at = drawing.x.value(px);
      const marks = options.breaks === 'marked' && py < top ? brokenRequests(model) : [];
      const { axis } = drawing.view;
      const near = (index: number): number => Math.abs(model.x(index, axis) - at);
      const [mark] = [...marks].sort((a, b) => near(a) - near(b));
      store.update({ request: mark ?? model.nearest(at, axis) });
      return true;
    },
    hover: (index, place) =>
      options.tooltip.show(index === null ? null : { model: options.model(), index }, place),
  });
}
