import type { ChartSpec, NamedChart } from './chart-spec.js';
import { exponentBars } from './exponent-bars.js';
import { hotPathTimes } from './hot-path-times.js';
import { ratioBars } from './ratio-bars.js';

/** A hot path at one size. */
export interface ChartedTime {
  readonly name: string;
  /** Tokens of context. */
  readonly size: number;
  readonly p50Ms: number;
}

/** How something grows. */
export interface ChartedGrowth {
  readonly name: string;
  readonly exponent: number;
  /** The highest exponent that is promised; null where the output is the whole window. */
  readonly promised: number | null;
}

/** A ratio with its promise. */
export interface ChartedRatio {
  readonly name: string;
  readonly ratio: number;
  /** null = only stated. */
  readonly promised: number | null;
}

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
