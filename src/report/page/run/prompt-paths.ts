import type { Axis, ChartModel } from '../../page-data/run-model.js';
import type { Scale } from '../widgets/scale.js';

/** The request that represents a pixel column: the largest one that was mostly not read from the cache, else the largest. */
function representatives(
  model: ChartModel,
  axis: Axis,
  visible: (index: number) => number | null,
): ReadonlyMap<number, number> {
  const { read } = model.run.requests;
  const chosen = new Map<number, number>();
  const cold = (index: number): boolean => read[index]! * 2 < model.prompt[index]!;
  for (const index of model.order(axis)) {
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

/** Outlines of the three parts of all prompts. */
export interface PromptPaths {
  readonly read: string;
  readonly written: string;
  readonly uncached: string;
}

/** The prompt of each request as a bar of its parts, or of one request per column where there are more than pixels. */
export function promptPaths(model: ChartModel, axis: Axis, x: Scale, y: Scale): PromptPaths {
  const { read, input } = model.run.requests;
  const width = x.px(x.to) - x.px(x.from);
  const perRequest = axis === 'request' ? width / (x.to - x.from) : 0;
  const bar = Math.max(2, Math.min(14, perRequest));
  const visible = (index: number): number | null => {
    const place = model.x(index, axis);
    if (place < x.from || place > x.to) return null;
    return Math.round((x.px(place) - bar / 2) / bar);
  };
  const paths = { read: '', written: '', uncached: '' };
  const gap = bar > 4 ? 1 : 0;
  for (const [column, index] of representatives(model, axis, visible)) {
    const left = Math.max(x.px(x.from), perRequest > 2 ? x.px(model.x(index, axis)) - bar / 2 : column * bar);
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
  return paths;
}

/** The parts in the order they are stacked. */
export const PROMPT_PARTS = ['read', 'written', 'uncached'] as const;

/** Indexes of the requests that paid for content again. */
export function brokenRequests({ run, count }: ChartModel): readonly number[] {
  const found: number[] = [];
  for (let i = 0; i < count; i++)
    if (run.requests.cause[i]! >= 0 && run.requests.rewriteCost[i]! > 0) found.push(i);
  return found;
}

/** The largest prompt of a run. */
export function largestPrompt({ prompt, count }: ChartModel): number {
  let most = 0;
  for (let i = 0; i < count; i++) most = Math.max(most, prompt[i]!);
  return most;
}
