import type { CompiledRun, ScenarioSource } from '../../../config/compile.js';
import { canonicalJson } from '../../../core/base/digest.js';
import { formatValue } from '../../../core/base/format.js';
import { ownValue } from '../../../core/base/own-value.js';
import { sum } from '../../../core/base/stats.js';
import { whyNotReproduced } from '../../../engine/run/what-if.js';
import { type WhatIf, whatIfOf } from '../../../report/text/as-recorded.js';
import type { CostDelta } from '../../../study/comparison.js';
import type { VariantRuns } from '../../../study/completeness.js';
import { type Variant, type VariantChoices, variantsOf } from '../../../study/variants.js';
import type { StudyInputs } from './study-inputs.js';

/** The variants of a scenario. A recording stands first as it was, and every setting is a change of that. */
export function variantsWithBase(
  source: ScenarioSource,
  choices: VariantChoices,
  recording: boolean,
): readonly Variant[] {
  if (!recording || choices.policies.length + choices.set.length === 0) return variantsOf(source, choices);
  const base = variantsOf(source, { policies: [], set: [] });
  const changed = variantsOf(source, { ...choices, names: 'all' });
  return [...base, ...changed.filter((variant) => !base.some((own) => areAlike(own, variant)))];
}

/** Whether two variants of the same sessions run the same, whatever they are called. */
function areAlike({ runs }: Variant, { runs: others }: Variant): boolean {
  const planOf = ({ plan }: CompiledRun): string => canonicalJson({ ...plan, name: '' });
  return runs.length === others.length && runs.every((run, i) => planOf(run) === planOf(others[i]!));
}

/** How well the recordings of a comparison are reproduced, over the sessions that are compared. */
export function comparedWhatIf(
  { transcripts }: StudyInputs,
  { byTranscript }: VariantRuns,
  sessions: readonly string[],
): WhatIf {
  const total = (name: string): number =>
    sum(sessions.map((session) => ownValue(byTranscript.get(session), name) ?? 0));
  const compared = new Set(sessions);
  const own = transcripts.filter(({ label }) => compared.has(label));
  return whatIfOf({
    recordedUsd: total('recordedInputUsd'),
    simulatedUsd: total('reproducedInputUsd'),
    reasons: [...new Set(own.flatMap(({ bill }) => whyNotReproduced(bill, 0)))],
  });
}

/** The difference in cost of each variant to the first, with its interval. */
export function deltaNotes(
  [base, ...others]: readonly VariantRuns[],
  deltas: ReadonlyMap<string, CostDelta>,
): readonly string[] {
  const signed = (usd: number): string => `${usd < 0 ? '−' : '+'}${formatValue(Math.abs(usd), 'usd')}`;
  return others.flatMap(({ name }) => {
    const { deltaUsd, deltaLowUsd, deltaHighUsd } = deltas.get(name)!;
    if (deltaUsd === null || deltaLowUsd === null || deltaHighUsd === null) return [];
    return [
      `${name}: ${signed(deltaUsd)} against ${base!.name}, 90 % interval ${signed(deltaLowUsd)} … ${signed(deltaHighUsd)}`,
    ];
  });
}
