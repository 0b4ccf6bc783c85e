import { ownValue } from '../core/base/own-value.js';
import { type Interval, mean, meanInterval } from '../core/base/stats.js';
import { type CostEnds, deltaError } from '../metrics/cost-interval.js';
import type { Expectation } from '../metrics/expect.js';
import type { Metric } from '../metrics/metric.js';
import { findMetric } from '../metrics/registry.js';
import {
  type BrokenRule,
  brokenRules,
  type Completeness,
  completenessOf,
  isFinished,
  leavesOutMore,
  type VariantCompleteness,
  type VariantRuns,
  variantMeans,
} from './completeness.js';
import type { MetricRecord } from './job.js';

/** How a variant differs from the baseline in one metric. */
export interface Difference {
  /** Mean of the paired differences; null when no transcript has both values. */
  readonly mean: number | null;
  /** Against the baseline's mean over the same transcripts; null when that is zero. */
  readonly relative: number | null;
  /** 95 % interval of the mean; null with fewer than two pairs. */
  readonly low: number | null;
  readonly high: number | null;
  readonly pairs: number;
  /**
   * `one-pair`: a difference without an interval; `differs`: a metric that has no better direction; `unranked`: one of the two
   * answered fewer calls than another variant.
   */
  readonly verdict:
    | 'better'
    | 'worse'
    | 'differs'
    | 'within-noise'
    | 'same'
    | 'one-pair'
    | 'no-data'
    | 'unranked';
}

/** A row of a comparison. */
export interface ComparedVariant {
  readonly name: string;
  /** Every metric that was measured, as the mean over the compared transcripts that have a value. */
  readonly metrics: MetricRecord;
  readonly completeness: VariantCompleteness;
  /** The conditions that it does not meet: then it is behind those that do. */
  readonly broken: readonly BrokenRule[];
  /** To the baseline, by metric; null for the baseline itself. */
  readonly differences: Readonly<Record<string, Difference>> | null;
}

/** Variants side by side. */
export interface Comparison {
  readonly baseline: string;
  /** Those that are compared. */
  readonly metrics: readonly string[];
  readonly variants: readonly ComparedVariant[];
  readonly completeness: Completeness;
  /** Best ranked variant by metric; null if values do not differ, or not by more than noise. */
  readonly best: Readonly<Record<string, string | null>>;
}

/** Relative differences below this are rounding. */
const ROUNDING = 1e-12;

/** Share of samples whose interval holds the true difference. */
const COVERAGE = 0.95;

function verdictOf(metric: Metric, differences: readonly number[], low: number | null, high: number | null) {
  if (differences.length === 0) return 'no-data';
  if (differences.every((value) => value === 0)) return 'same';
  if (low === null || high === null) return 'one-pair';
  if (low <= 0 && high >= 0) return 'within-noise';
  if (metric.better === null) return 'differs';
  return high < 0 === (metric.better === 'lower') ? 'better' : 'worse';
}

/** Two variants over the same sessions. */
export interface Paired {
  readonly variant: VariantRuns;
  readonly baseline: VariantRuns;
  /** Those of these that both finished are paired. */
  readonly compared: readonly string[];
  /** Whether a difference says which of the two is better. */
  readonly kind: 'ranked' | 'unranked';
}

/** The interval of the mean difference; an end that is zero but for rounding is zero. */
function intervalOf(differences: readonly number[]): Interval | null {
  const interval = meanInterval(differences, COVERAGE);
  if (interval === null) return null;
  const { low, high } = interval;
  const slack = Math.max(Math.abs(low), Math.abs(high)) * ROUNDING;
  return { low: Math.abs(low) <= slack ? 0 : low, high: Math.abs(high) <= slack ? 0 : high };
}

/** How a variant differs from another in a metric, session by session. */
export function pairedDifference(metric: Metric, paired: Paired): Difference {
  return pairedDifferences([metric], paired)[0]!;
}

/** The same for several metrics. */
function pairedDifferences(metrics: readonly Metric[], paired: Paired): readonly Difference[] {
  const { variant, baseline, compared, kind } = paired;
  const pairs = metrics.map((metric) => ({
    metric,
    differences: [] as number[],
    bases: [] as number[],
  }));
  for (const key of compared) {
    const [now, before] = [variant.byTranscript.get(key), baseline.byTranscript.get(key)];
    if (!isFinished(now) || !isFinished(before)) continue;
    for (const { metric, differences, bases } of pairs) {
      const value = ownValue(now, metric.name) ?? null;
      const base = ownValue(before, metric.name) ?? null;
      if (value === null || base === null) continue;
      const exact = value - base;
      differences.push(Math.abs(exact) <= Math.abs(base) * ROUNDING ? 0 : exact);
      bases.push(base);
    }
  }
  return pairs.map(({ metric, differences, bases }): Difference => {
    const interval = intervalOf(differences);
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
      verdict: kind === 'unranked' ? kind : verdictOf(metric, differences, low, high),
    };
  });
}

/** The better of two values first. */
function byValue({ name, better }: Metric): (a: ComparedVariant, b: ComparedVariant) => number {
  const value = ({ metrics }: ComparedVariant): number => ownValue(metrics, name)!;
  return better === 'lower' ? (a, b) => value(a) - value(b) : (a, b) => value(b) - value(a);
}

/** The ranked variant with the best value, if its difference to the next is more than noise. */
function bestOf(
  metric: Metric,
  rows: readonly ComparedVariant[],
  verdictAgainst: (winner: ComparedVariant, second: ComparedVariant) => Difference['verdict'],
): string | null {
  if (metric.better === null) return null;
  const [winner, second] = rows
    .filter(
      ({ metrics, completeness, broken }) =>
        completeness.standing === 'ranked' && broken.length === 0 && ownValue(metrics, metric.name) != null,
    )
    .sort(byValue(metric));
  if (winner === undefined || second === undefined) return null;
  if (leavesOutMore(winner.metrics, [second.metrics], metric.name)) return null;
  if (ownValue(winner.metrics, metric.name) === ownValue(second.metrics, metric.name)) return null;
  const verdict = verdictAgainst(winner, second);
  return verdict === 'better' || verdict === 'one-pair' ? winner.name : null;
}

/**
 * Compares variants with a baseline, paired over the transcripts that every ranked one finished; a difference whose interval
 * holds zero is noise, not a win. One that breaks a rule is behind those that break none, and is best in nothing.
 */
export function compareVariants(
  variants: readonly VariantRuns[],
  baseline: string,
  metricNames: readonly string[],
  rules: readonly Expectation[] = [],
): Comparison {
  const completeness = completenessOf(variants);
  const { compared } = completeness;
  const at = variants.findIndex((variant) => variant.name === baseline);
  const base = completeness.variants[at]!;
  const metrics = metricNames.map((name) => findMetric(name)!);
  const rows = variants.map((variant, i): ComparedVariant => {
    const own = completeness.variants[i]!;
    const isApart = own.standing === 'apart' || base.standing === 'apart';
    const isRanked = own.standing === 'ranked' && base.standing === 'ranked';
    const paired: Paired = {
      variant,
      baseline: variants[at]!,
      compared: isApart ? [] : compared,
      kind: isRanked ? 'ranked' : 'unranked',
    };
    return {
      name: variant.name,
      metrics: variantMeans(variant, completeness),
      completeness: own,
      broken: brokenRules(variant, rules),
      differences:
        i === at
          ? null
          : Object.fromEntries(
              pairedDifferences(metrics, paired).map((found, at) => [metricNames[at]!, found]),
            ),
    };
  });
  const verdictBetween = (metric: Metric, winner: ComparedVariant, second: ComparedVariant) => {
    const [variant, rival] = [winner, second].map((row) => variants[rows.indexOf(row)]!);
    return pairedDifference(metric, { variant: variant!, baseline: rival!, compared, kind: 'ranked' })
      .verdict;
  };
  return {
    baseline,
    metrics: metricNames,
    variants: [...rows].sort((a, b) => Number(a.broken.length > 0) - Number(b.broken.length > 0)),
    completeness,
    best: Object.fromEntries(
      metrics.map((metric) => [
        metric.name,
        bestOf(metric, rows, (winner, second) => verdictBetween(metric, winner, second)),
      ]),
    ),
  };
}

/** What a variant costs more than the baseline on average, in dollars, and the 90 % interval of that over these sessions. */
export interface CostDelta {
  readonly deltaUsd: number | null;
  readonly deltaLowUsd: number | null;
  readonly deltaHighUsd: number | null;
}

/** The difference of a variant to the baseline over the sessions that both finished. */
export function costDelta(
  variant: Pick<VariantRuns, 'byTranscript'>,
  baseline: Pick<VariantRuns, 'byTranscript'>,
  compared: readonly string[],
): CostDelta {
  const deltas: number[] = [];
  let variance = 0;
  for (const key of compared) {
    const now = variant.byTranscript.get(key);
    const before = baseline.byTranscript.get(key);
    const [cost, base] = [now?.costUsd ?? null, before?.costUsd ?? null];
    if (cost === null || base === null) continue;
    deltas.push(cost - base);
    const off = deltaError(costEnds(cost, now!), costEnds(base, before!));
    variance += off * off;
  }
  const average = mean(deltas);
  if (average === null) return { deltaUsd: null, deltaLowUsd: null, deltaHighUsd: null };
  const off = Math.sqrt(variance) / deltas.length;
  return { deltaUsd: average, deltaLowUsd: average - off, deltaHighUsd: average + off };
}

function costEnds(cost: number, { costLowUsd, costHighUsd }: MetricRecord): CostEnds {
  return { cost, low: costLowUsd ?? cost, high: costHighUsd ?? cost };
}
