import type { PageData } from '../page-data.js';
import { s } from './dom.js';
import { createFrame } from './frame.js';
import type { RunModel } from './run-model.js';
import { short } from './scale.js';
import type { Store, View } from './store.js';
import type { Tooltip } from './tooltip.js';

/** Charts of the chosen run. */
export interface RunChartOptions {
  readonly data: PageData;
  readonly tooltip: Tooltip;
  model(): RunModel;
  domain(view: View): readonly [number, number];
}

/** The request that stands for a pixel column: the largest one that was mostly not read from the cache, else the largest. */
function representatives(
  model: RunModel,
  view: View,
  visible: (index: number) => number | null,
): ReadonlyMap<number, number> {
  const { read } = model.run.requests;
  const chosen = new Map<number, number>();
  const cold = (index: number): boolean => read[index]! * 2 < model.prompt[index]!;
  for (const index of model.order(view.axis)) {
    const column = visible(index);
    if (column === null) continue;
    const other = chosen.get(column);
    const better =
      other === undefined ||
      (cold(index) && !cold(other)) ||
      (cold(index) === cold(other) && model.prompt[index]! > model.prompt[other]!);
    if (better) chosen.set(column, index);
  }
  return chosen;
}

/** The prompt of each request as a bar: read from the cache, written to it, neither. */
export function createSplitChart(store: Store, options: RunChartOptions): HTMLElement {
  const { prompt: colors } = options.data.colors;
  return createFrame(store, {
    title: 'Prompt by request',
    label: 'Prompt of each request, split into tokens read from the cache, written to it, and uncached.',
    yTitle: 'prompt (tokens)',
    height: 150,
    lanes: 6,
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
    draw({ view, x, y, width, plot }) {
      const model = options.model();
      const { read, input } = model.run.requests;
      const perRequest = view.axis === 'request' ? width / (x.to - x.from) : 0;
      const bar = Math.max(2, Math.min(14, perRequest));
      const visible = (index: number): number | null => {
        const place = model.x(index, view.axis);
        if (place < x.from || place > x.to) return null;
        return Math.round((x.px(place) - bar / 2) / bar);
      };
      const paths = { read: '', written: '', uncached: '' };
      const gap = bar > 4 ? 1 : 0;
      for (const [column, index] of representatives(model, view, visible)) {
        const left = Math.max(
          x.px(x.from),
          perRequest > 2 ? x.px(model.x(index, view.axis)) - bar / 2 : column * bar,
        );
        let base = 0;
        const stack = (tokens: number): string => {
          const from = y.px(base);
          base += tokens;
          const to = y.px(base);
          return tokens === 0
            ? ''
            : `M${left.toFixed(1)},${from.toFixed(1)}h${(bar - gap).toFixed(1)}V${to.toFixed(1)}h${(gap - bar).toFixed(1)}z`;
        };
        paths.read += stack(read[index]!);
        paths.written += stack(model.written[index]!);
        paths.uncached += stack(input[index]!);
      }
      for (const part of ['read', 'written', 'uncached'] as const) {
        plot.append(s('path', { d: paths[part], fill: colors[part] }));
      }
    },
    cursor({ view, x, height }, layer) {
      if (view.cursor === null) return;
      const px = x.px(options.model().x(view.cursor, view.axis));
      if (px >= x.px(x.from) && px <= x.px(x.to)) {
        layer.append(s('line', { class: 'hair', x1: px, x2: px, y1: 6, y2: 6 + height }));
      }
    },
    hover: (index, place) => options.tooltip.show(options.model(), index, place),
  });
}
