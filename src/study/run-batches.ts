import type { TranscriptInput } from '../transcripts/files/transcript-input.js';
import { runsOfBatch, type Span } from './batches.js';
import type { GridStudy, PlannedRun } from './grid-study.js';
import { type ResultRow, rowOf } from './result-rows.js';
import type { ResultStore } from './results/result-store.js';
import type { RunJobs } from './run-rows.js';

/** Runs that are planned while those before them are made. */
const RUNS_AHEAD = 400;

/** Points of the very first piece: few, so that the first run starts soon. */
const FIRST_POINTS = 4;

/** A piece of a batch: its batch, its runs, and whether it is the last one. */
interface Slice extends Span {
  readonly batch: number;
  readonly isLast: boolean;
}

function* slicesOf(study: GridStudy, batches: Iterable<number>): Generator<Slice> {
  let step = FIRST_POINTS * study.sessions;
  for (const batch of batches) {
    const { from, to } = runsOfBatch(study.record.partition, batch);
    for (let start = from; start < to; ) {
      const end = Math.min(to, start + step);
      yield { batch, from: start, to: end, isLast: end === to };
      start = end;
      step = Math.max(1, Math.floor(RUNS_AHEAD / study.sessions)) * study.sessions;
    }
  }
}

/**
 * Runs batches one after the other; while the runs of one piece go on, the next piece is planned. Each row is written down as it
 * comes, so that whoever does the batch after a kill goes on where it stopped. `onRun` gets each run that was not found finished.
 */
export async function runBatches(
  study: GridStudy,
  store: ResultStore,
  batches: Iterable<number>,
  run: RunJobs,
  onRun: () => void,
): Promise<void> {
  const slices = slicesOf(study, batches);
  let rows = new Map<number, ResultRow>();
  let begunOf = -1;
  let begun = new Map<number, ResultRow>();
  const prepare = async (slice: Slice) => {
    if (slice.batch !== begunOf) {
      begun = new Map(store.begun(slice.batch).map((row) => [row.run, row] as const));
      begunOf = slice.batch;
    }
    const found = begun;
    return { slice, found, planned: await study.plan(slice, (place) => !found.has(place)) };
  };
  const take = (): ReturnType<typeof prepare> | null => {
    const next = slices.next();
    if (next.done === true) return null;
    const prepared = prepare(next.value);
    prepared.catch(() => {}); // thrown where it is waited for
    return prepared;
  };
  for (let ahead = take(); ahead !== null; ) {
    const { slice, found, planned } = await ahead;
    ahead = take();
    for (const row of found.values()) rows.set(row.run, row);
    await runPlanned(study, planned, run, (row) => {
      store.append(slice.batch, row);
      rows.set(row.run, row);
      onRun();
    });
    if (!slice.isLast) continue;
    await store.finish(slice.batch, [...rows.values()]);
    rows = new Map();
  }
}

async function runPlanned(
  { record: { columns } }: GridStudy,
  planned: readonly PlannedRun[],
  run: RunJobs,
  keep: (row: ResultRow) => void,
): Promise<void> {
  const inputs = new Map<string, TranscriptInput>();
  for (const { input } of planned) if (input !== null) inputs.set(input.key, input);
  for (const { run: place, known, job } of planned) if (job === null) keep(rowOf(columns, place, known));
  const jobs = planned.flatMap(({ job }, index) => (job === null ? [] : { ...job, index }));
  await run(jobs, [...inputs.values()], (result) => {
    const { run: place, known } = planned[result.index]!;
    const outcome = result.ok
      ? { ...result.metrics, skipped: result.skipped.length === 0 ? null : result.skipped.join('; ') }
      : { error: result.error.message };
    keep(rowOf(columns, place, { ...outcome, ...known }));
  });
}

/** What each batch is expected to cost: the calls of its sessions. */
export function batchCosts({
  record: { partition },
  sessions,
  variesSessions,
  weight,
}: GridStudy): readonly number[] {
  const weights = Array.from({ length: sessions }, (_, i) => weight(0, i));
  return Array.from({ length: partition.batches }, (_, batch) => {
    const { from, to } = runsOfBatch(partition, batch);
    if (variesSessions) {
      const looks = [from, Math.floor((from + to - 1) / 2), to - 1];
      const costs = looks.map((run) => weight(Math.floor(run / sessions), run % sessions));
      return ((to - from) * costs.reduce((sum, cost) => sum + cost, 0)) / looks.length;
    }
    let cost = 0;
    for (let run = from; run < to; run++) cost += weights[run % sessions]!;
    return cost;
  });
}
