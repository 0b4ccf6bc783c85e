import type { MetricUnit } from '../core/base/format.js';
import type { RunFacts } from './facts.js';

/** A number about a run, by name. */
export interface Metric {
  readonly name: string;
  readonly unit: MetricUnit;
  /** The better direction; null where neither is. */
  readonly better: 'lower' | 'higher' | null;
  readonly help: string;
  /** null = the run has no data for it. */
  value(facts: RunFacts): number | null;
}

/** A group of metrics under one name, each with a key: `costByCause.carry`. */
export interface MetricFamily {
  readonly name: string;
  readonly better: 'lower' | 'higher' | null;
  /** What stands for the key in the documentation, e.g. `<cause>`. */
  readonly keyName: string;
  readonly help: string;
  /** The keys there are; null when they come from the run. */
  readonly keys: readonly string[] | null;
  unit(key: string): MetricUnit;
  value(facts: RunFacts, key: string): number | null;
}

const NANO_PER_USD = 1e9;

/** Dollars of an amount in nano-dollars. */
export function usd(nanoUsd: number): number {
  return nanoUsd / NANO_PER_USD;
}
