import { type Expectation, holds } from '../metrics/expect.js';
import { type Completeness, completenessOf, type VariantRuns, variantMeans } from './completeness.js';
import type { MetricRecord } from './job.js';
import type { Candidate, Trial } from './search.js';

/** What a search wants. */
export interface Goal {
  readonly metric: string;
  /** 1 when smaller is wanted, −1 when larger is. */
  readonly sign: 1 | -1;
  readonly constraints: readonly Expectation[];
}

/** A setting with what its runs came to. */
export interface CandidateRuns extends VariantRuns {
  readonly candidate: Candidate;
}

/** What the settings of a rung came to. */
export interface JudgedRung {
  readonly completeness: Completeness;
  readonly tried: readonly { readonly trial: Trial; readonly metrics: MetricRecord }[];
}

/**
 * Judges the settings of a rung. A setting that is not ranked is no result, whatever the goal; constraints must hold in every run.
 */
export function judge(settings: readonly CandidateRuns[], goal: Goal, share: number): JudgedRung {
  const completeness = completenessOf(settings, 'foremost');
  const tried = settings.map((setting, i) => {
    const { standing } = completeness.variants[i]!;
    const metrics = variantMeans(setting, completeness);
    const records = [...setting.byTranscript.values()].filter((record) => record !== null);
    const value = standing === 'ranked' ? (metrics[goal.metric] ?? null) : null;
    const feasible =
      standing === 'ranked' &&
      records.every((record) => goal.constraints.every((rule) => holds(rule, record[rule.metric] ?? null)));
    const trial: Trial = {
      candidate: setting.candidate,
      share,
      objective: value === null ? null : value * goal.sign,
      feasible,
      callsLost: lostIn(setting),
    };
    return { trial, metrics };
  });
  return { completeness, tried };
}

/** Calls that a setting lost in all; a run that failed lost more than any other. */
function lostIn({ byTranscript }: VariantRuns): number {
  let lost = 0;
  for (const record of byTranscript.values())
    lost += record === null ? Number.POSITIVE_INFINITY : (record.callsLost ?? 0);
  return lost;
}
