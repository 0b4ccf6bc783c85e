import type { ChartSpec, NamedChart } from './chart-spec.js';
import type { ChartedGrowth, ChartedRatio, ChartedTime } from './charted.js';
import { exponentBars } from './exponent-bars.js';
import { hotPathTimes } from './hot-path-times.js';
import { ratioBars } from './ratio-bars.js';

/** What the charts of a benchmark are made from. */
export interface BenchChartInput {
  readonly results: readonly ChartedTime[];
  readonly growth: readonly ChartedGrowth[];
  readonly ratios: readonly ChartedRatio[];
}

/** The charts of a benchmark; those that would be empty are left out. */
export function benchCharts({ results, growth, ratios }: BenchChartInput): readonly NamedChart[] {
  const charts: NamedChart[] = [];
  const add = (name: string, spec: ChartSpec | null): void => {
    if (spec !== null) charts.push({ name, spec });
  };
  const timed = new Set(results.map(({ name }) => name));
  add('hot-paths', hotPathTimes(results, growth));
  add('exponents', exponentBars(growth.filter(({ name }) => !timed.has(name))));
  add('ratios', ratioBars(ratios));
  return charts;
}
