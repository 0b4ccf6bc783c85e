import { sha256Hex } from '../../../core/base/digest.js';
import { faultsJson, finishedJson } from '../../../report/tables/summary-json.js';
import { recordedJson, whatIfOfRun } from '../../../report/text/as-recorded.js';
import { type CostDelta, costDelta } from '../../../study/comparison.js';
import type { RunResult } from './run-result.js';

/** What a variant costs more than the base over the same session; nothing for the base. */
function deltaJson(
  { planned, metrics }: Pick<RunResult, 'planned' | 'metrics'>,
  results: readonly RunResult[],
): Partial<CostDelta> {
  const { variant, transcript } = planned.run;
  const base = results.find(({ planned: { run } }) => run.variant === null && run.transcript === transcript);
  if (variant === null || base === undefined) return {};
  const row = (own: RunResult['metrics']) => ({ byTranscript: new Map([['', own]]) });
  return costDelta(row(metrics), row(base.metrics), ['']);
}

/** Everything that runs found, for scripts. */
export function runJson(results: readonly RunResult[]): object {
  const runs = results.map(
    ({ planned, execution, metrics, expectations, regressions, since, sinceBaseline, report }) => ({
      name: planned.run.plan.name,
      variant: planned.run.variant,
      policy: planned.run.plan.policy.name,
      transcript: execution.facts.run?.transcript.id ?? null,
      digest: execution.digest,
      ...finishedJson(execution.facts),
      ...faultsJson(execution.facts),
      ...whatIfOfRun(execution.facts),
      ...deltaJson({ planned, metrics }, results),
      asRecorded: recordedJson(execution.facts),
      metrics,
      expectations,
      regressions,
      skipped: execution.facts.skipped.map(({ what, needs }) => ({ what, needs })),
      warnings: execution.facts.warnings.map(({ code, message, remedy, count }) => ({
        code,
        message,
        remedy,
        count,
      })),
      sinceLast: since,
      sinceBaseline,
      report,
    }),
  );
  const only = runs.length === 1 ? runs[0]! : null;
  return {
    digest: only?.digest ?? sha256Hex(runs.map((run) => run.digest).join('\n')),
    ...(only === null ? {} : { mode: only.mode, reproduced: only.reproduced }),
    metrics: only?.metrics ?? null,
    runs,
  };
}
