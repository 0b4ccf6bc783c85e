import { createRandom } from '../base/random.js';
import { bootstrapMean, mean } from '../base/stats.js';
import type { Metric } from '../metrics/metric.js';
import { findMetric } from '../metrics/registry.js';
import type { MetricRecord } from './job.js';

/** What a variant came to, by the key of the transcript. */
export interface VariantRuns {
  readonly name: string;
  readonly byTranscript: ReadonlyMap<string, MetricRecord>;
}

/** How a variant differs from the baseline in one metric. */
export interface Difference {
  /** Mean of the paired differences; null when no transcript has both values. */
  readonly mean: number | null;
  /** Against the baseline's mean over the same transcripts; null when that is zero. */
  readonly relative: number | null;
  /** 95 % bootstrap interval of the mean; null with fewer than two pairs. */
  readonly low: number | null;
  readonly high: number | null;
  readonly pairs: number;
  /** `one-pair`: a difference without an interval; `differs`: a metric that has no better direction. */
  readonly verdict: 'better' | 'worse' | 'differs' | 'within-noise' | 'same' | 'one-pair' | 'no-data';
}

/** A row of a comparison. */
export interface ComparedVariant {
  readonly name: string;
  /** Every metric that was measured, as the mean over the transcripts that have a value. */
  readonly metrics: MetricRecord;
  /** To the baseline, by metric; null for the baseline itself. */
  readonly differences: Readonly<Record<string, Difference>> | null;
}

/** Variants side by side. */
export interface Comparison {
  readonly baseline: string;
  /** Those that are compared. */
  readonly metrics: readonly string[];
  readonly variants: readonly ComparedVariant[];
  /** Best variant by metric; null where values do not differ, or not by more than noise. */
  readonly best: Readonly<Record<string, string | null>>;
}

/** Relative differences below this are rounding. */
const ROUNDING = 1e-12;

function verdictOf(metric: Metric, differences: readonly number[], low: number | null, high: number | null) {
  if (differences.length === 0) return 'no-data';
  if (differences.every((value) => value === 0)) return 'same';
  if (low === null || high === null) return 'one-pair';
  if (low <= 0 && high >= 0) return 'within-noise';
  if (metric.better === null) return 'differs';
  return high < 0 === (metric.better === 'lower') ? 'better' : 'worse';
}

function difference(metric: Metric, variant: VariantRuns, baseline: VariantRuns, seed: number): Difference {
  const differences: number[] = [];
  const bases: number[] = [];
  for (const [key, record] of variant.byTranscript) {
    const now = record[metric.name] ?? null;
    const before = baseline.byTranscript.get(key)?.[metric.name] ?? null;
    if (now === null || before === null) continue;
    const exact = now - before;
    differences.push(Math.abs(exact) <= Math.abs(before) * ROUNDING ? 0 : exact);
    bases.push(before);
  }
  const interval = bootstrapMean(differences, createRandom(seed).split(`${variant.name}\n${metric.name}`));
  const average = mean(differences);
  const base = mean(bases);
  const low = interval?.low ?? null;
  const high = interval?.high ?? null;
  return {
    mean: average,
    relative: average === null || base === null || base === 0 ? null : average / Math.abs(base),
    low,
    high,
    pairs: differences.length,
    verdict: verdictOf(metric, differences, low, high),
  };
}

/** The mean of each metric over the records that have a value for it. */
export function meansOf(records: readonly MetricRecord[]): MetricRecord {
  const names = new Set(records.flatMap((record) => Object.keys(record)));
  return Object.fromEntries(
    [...names].map((name) => [name, mean(records.flatMap((record) => record[name] ?? []))]),
  );
}

function bestOf(metric: Metric, rows: readonly ComparedVariant[]): string | null {
  if (metric.better === null) return null;
  const known = rows.filter(({ metrics }) => metrics[metric.name] != null);
  const values = known.map(({ metrics }) => metrics[metric.name]!);
  if (known.length < 2 || new Set(values).size === 1) return null;
  const record = metric.better === 'lower' ? Math.min(...values) : Math.max(...values);
  const winners = known.filter(({ metrics }) => metrics[metric.name] === record);
  if (winners.length > 1) return null;
  const verdict = winners[0]!.differences?.[metric.name]?.verdict;
  return verdict === 'within-noise' ? null : winners[0]!.name;
}

/** Compares variants with a baseline, paired over transcripts; a difference whose interval holds zero is noise, not a win. */
export function compareVariants(
  variants: readonly VariantRuns[],
  baseline: string,
  metricNames: readonly string[],
  seed: number,
): Comparison {
  const base = variants.find((variant) => variant.name === baseline)!;
  const metrics = metricNames.map((name) => findMetric(name)!);
  const rows = variants.map(
    (variant): ComparedVariant => ({
      name: variant.name,
      metrics: meansOf([...variant.byTranscript.values()]),
      differences:
        variant === base
          ? null
          : Object.fromEntries(
              metrics.map((metric) => [metric.name, difference(metric, variant, base, seed)]),
            ),
    }),
  );
  return {
    baseline,
    metrics: metricNames,
    variants: rows,
    best: Object.fromEntries(metrics.map((metric) => [metric.name, bestOf(metric, rows)])),
  };
}
