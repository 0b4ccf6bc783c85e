import { AS_RECORDED } from '../../../report/text/as-recorded.js';
import { OPEN_LOOP } from '../../../report/text/assumptions.js';
import type { Comparison, CostDelta } from '../../../study/comparison.js';
import type { VariantRuns } from '../../../study/completeness.js';
import type { JobError } from '../../../study/job.js';
import type { StoredResult } from '../../../study/results/run-store.js';
import { completenessJson, standingJson } from './completeness-notes.js';
import type { RecordedReference } from './recorded-reference.js';
import type { StudyInputs } from './study-inputs.js';

/** One run of a comparison, as far as its JSON names it. */
interface ComparedRun {
  readonly row: { readonly name: string };
  readonly session: { readonly label: string };
  readonly result: StoredResult | null;
  readonly error: JobError | null;
}

/** Everything a comparison found, for scripts. */
export function comparisonJson(
  comparison: Comparison,
  recorded: RecordedReference | null,
  runs: readonly VariantRuns[],
  inputs: StudyInputs,
  skipped: readonly { readonly file: string; readonly reason: string }[],
  results: readonly ComparedRun[],
  deltas: ReadonlyMap<string, CostDelta>,
) {
  return {
    variants: [
      ...(recorded === null
        ? []
        : [{ name: AS_RECORDED, metrics: recorded.metrics, differences: null, runs: recorded.runs }]),
      ...comparison.variants.map(({ name, metrics, differences, completeness, broken }) => ({
        name,
        ...standingJson(completeness),
        ...(broken.length === 0 ? {} : { broken }),
        metrics,
        differences,
        ...deltas.get(name),
        runs: results.flatMap(({ row, session, result }) =>
          result !== null && row.name === name
            ? [{ transcript: session.label, metrics: result.metrics, skipped: result.skipped }]
            : [],
        ),
      })),
    ],
    assumes: OPEN_LOOP,
    notes: recorded?.costs.notes ?? [],
    baseline: comparison.baseline,
    best: comparison.best,
    ...completenessJson(comparison.completeness, runs),
    transcripts: inputs.sessions,
    skipped,
    warnings: inputs.warnings,
    failed: results.flatMap(({ row, session, error }) =>
      error === null ? [] : [{ variant: row.name, transcript: session.label, error }],
    ),
  };
}
