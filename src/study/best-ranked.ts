import type { Metric } from '../metrics/metric.js';
import type { VariantCompleteness } from './completeness.js';
import type { MetricRecord } from './job.js';

/** Something with values and a place in a study. */
export interface Measured {
  readonly metrics: MetricRecord;
  readonly completeness: VariantCompleteness;
}

/** The ranked one with the best value of a metric: the first of equals, null where no direction is better or nothing is ranked. */
export function bestRanked<Item extends Measured>(items: readonly Item[], metric: Metric): Item | null {
  const { name, better } = metric;
  let best: Item | null = null;
  for (const item of items) {
    const value = item.metrics[name] ?? null;
    if (better === null || value === null || item.completeness.standing !== 'ranked') continue;
    const record = best?.metrics[name] ?? null;
    if (record === null || (better === 'lower' ? value < record : value > record)) best = item;
  }
  return best;
}
