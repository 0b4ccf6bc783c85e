import { expect, it } from 'vitest';
import { runRows } from '../../../../src/cli/commands/study/run-rows.js';
import type { StudyInputs, StudyTranscript } from '../../../../src/cli/commands/study/study-inputs.js';
import type { CliSession } from '../../../../src/cli/session.js';
import type { TranscriptRef } from '../../../../src/config/normalise.js';
import { METRICS } from '../../../../src/metrics/registry.js';
import { completenessOf } from '../../../../src/study/completeness.js';
import type { Job, JobResult } from '../../../../src/study/job.js';
import type { JobRunner } from '../../../../src/study/job-runner.js';
import type { StudyRow } from '../../../../src/study/run-rows.js';
import { heldBytes } from '../../../helpers/held-bytes.js';
import { planOf } from '../../../helpers/plan.js';

const SILENT = { isTerminal: false, columns: null, write: () => {} };
const SESSION = {
  json: true,
  host: { stderr: SILENT, now: () => 0, interrupt: new AbortController().signal },
} as unknown as CliSession;

/** As many sessions as there are many of, and what a run of each takes at most: a third of a record of its metrics. */
const [SESSIONS, MOST_BYTES] = [3_000, 700];

/** A run as a thread sends it: half of its metrics have no value, and a third of the others differ between runs. */
function resultOf({ index }: Job): JobResult {
  const metrics = METRICS.names.map((name, at): [string, number | null] => {
    if (name === 'finishedShare') return [name, 1];
    return [name, at % 2 === 0 ? null : at % 3 === 0 ? index / 7 : at];
  });
  return { ok: true, index, metrics: structuredClone(Object.fromEntries(metrics)), skipped: [] };
}

const RUNNER = {
  async run(jobs: readonly Job[], _inputs: unknown, { onResult }: { onResult(result: JobResult): void }) {
    for (const job of jobs) onResult(resultOf(job));
  },
} as unknown as JobRunner;

it(`a run over one of thousands of sessions takes less than ${MOST_BYTES} bytes until the report is made`, async () => {
  const refs = Array.from(
    { length: SESSIONS },
    (_, i): TranscriptRef => ({ kind: 'file', path: `${i}`, written: `${i}`, place: { file: 'a' } }),
  );
  const transcripts = refs.map(
    (_, i) => ({ label: `${i}`, input: { kind: 'recorded', key: `key ${i}` } }) as unknown as StudyTranscript,
  );
  const byRef = new Map(refs.map((ref, i) => [ref, transcripts[i]!]));
  const inputs = { transcripts, of: (ref: TranscriptRef) => byRef.get(ref)! } as unknown as StudyInputs;
  const own = { variant: null, description: '', summaries: null, expectations: [] };
  const rows = [1, 2, 3].map((seed): StudyRow => {
    const plan = planOf({ seed });
    return { name: `${seed}`, runs: refs.map((transcript) => ({ ...own, plan, transcript })) };
  });
  const options = { label: 'many', runner: RUNNER, store: null, metrics: ['costUsd'], repeat: () => '' };
  await runRows(SESSION, rows, { ...inputs, transcripts: transcripts.slice(0, 50) }, options);
  const before = heldBytes();
  const outcome = await runRows(SESSION, rows, inputs, options);
  const runs = SESSIONS * rows.length;
  expect((heldBytes() - before) / runs).toBeLessThan(MOST_BYTES);
  expect(outcome.found.size).toBe(runs);
  expect(outcome.runs.map(({ byTranscript }) => byTranscript.size)).toEqual([SESSIONS, SESSIONS, SESSIONS]);
  expect(completenessOf(outcome.runs).compared).toHaveLength(SESSIONS);
});
