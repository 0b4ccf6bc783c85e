import { ownValue } from '../../../core/base/own-value.js';
import { findMetric } from '../../../metrics/registry.js';
import { type Difference, pairedDifference } from '../../../study/comparison.js';
import { finishedOf, meansOf, type VariantRuns } from '../../../study/completeness.js';
import type { SweptPoint } from '../../../study/run-rows.js';

/** What points are held against: the scenario as it is, over the same sessions. */
export interface Baseline {
  /** Its mean over all compared sessions; null where it did not finish them all, or has no value. */
  level(metric: string): number | null;
  /** How a point differs from it over some sessions that both finished; null where there is no such session. */
  difference(point: SweptPoint, metric: string, over?: readonly string[]): Difference | null;
}

/** The scenario as it is, as what points are held against. */
export function baselineOf(runs: VariantRuns | null, compared: readonly string[]): Baseline {
  const finished = runs === null ? [] : finishedOf(runs, compared);
  const isWhole = finished.length > 0 && finished.length === compared.length;
  const records = isWhole ? finished.map((session) => runs!.byTranscript.get(session)!) : [];
  const means = meansOf(records);
  return {
    level: (metric) => ownValue(means, metric) ?? null,
    difference(point, metric, over = compared) {
      if (runs === null || point.completeness.standing === 'apart') return null;
      const paired = { variant: point.runs, baseline: runs, compared: over, kind: 'ranked' as const };
      const found = pairedDifference(findMetric(metric)!, paired);
      return found.pairs === 0 ? null : found;
    },
  };
}
