import { availableParallelism } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { runsOfBatch, type Span } from '../../../study/batches.js';
import { runJobs, workerEntry } from '../../../study/pool.js';
import { type ResultRow, rowOf } from '../../../study/result-rows.js';
import type { StudyResults } from '../../../study/results/results-folder.js';
import type { WorkerPool } from '../../../study/worker-pool.js';
import type { TranscriptInput } from '../../../transcripts/files/transcript-input.js';
import type { CliSession } from '../../session.js';
import { Interrupted } from '../../terminal/interrupt.js';
import { pluginFiles } from '../study/run-study.js';
import type { ColumnStudy, PlannedRun } from './column-study.js';

/** Runs that are planned while those before them are made. */
const RUNS_AHEAD = 400;

/** Points of the very first piece: few, so that the first run starts soon. */
const FIRST_POINTS = 4;

/** Wall time between two looks at the terminal while runs go on in this thread. */
const BREATH_MS = 20;

/** How batches are run. */
export interface BatchOptions {
  readonly workers: number | undefined;
  readonly threads: WorkerPool | null;
  /** Hears how many runs of all batches are made; those found finished are not among them. */
  onRun(): void;
}

/** A piece of a batch: its batch, its runs, and whether it is the last one. */
interface Slice extends Span {
  readonly batch: number;
  readonly isLast: boolean;
}

function* slicesOf(study: ColumnStudy, batches: Iterable<number>): Generator<Slice> {
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
 * comes, so that whoever does the batch after a kill goes on where it stopped. Ctrl-C ends it at once.
 */
export async function runBatches(
  session: CliSession,
  study: ColumnStudy,
  results: StudyResults,
  batches: Iterable<number>,
  options: BatchOptions,
): Promise<void> {
  const slices = slicesOf(study, batches);
  let rows = new Map<number, ResultRow>();
  let begunOf = -1;
  let begun = new Map<number, ResultRow>();
  const prepare = async (slice: Slice) => {
    if (slice.batch !== begunOf) {
      begun = new Map(results.begun(slice.batch).map((row) => [row.run, row] as const));
      begunOf = slice.batch;
    }
    const found = begun;
    return { slice, found, planned: await study.plan(slice, (run) => !found.has(run)) };
  };
  const take = (): ReturnType<typeof prepare> | null => {
    const next = slices.next();
    if (next.done === true) return null;
    const prepared = prepare(next.value);
    prepared.catch(() => {}); // told when it is waited for
    return prepared;
  };
  for (let ahead = take(); ahead !== null; ) {
    const { slice, found, planned } = await ahead;
    ahead = take();
    for (const row of found.values()) rows.set(row.run, row);
    await runPlanned(session, study, planned, options, (row) => {
      results.append(slice.batch, row);
      rows.set(row.run, row);
      options.onRun();
    });
    if (!slice.isLast) continue;
    await results.finish(slice.batch, [...rows.values()]);
    rows = new Map();
  }
}

async function runPlanned(
  session: CliSession,
  study: ColumnStudy,
  planned: readonly PlannedRun[],
  { workers, threads }: BatchOptions,
  keep: (row: ResultRow) => void,
): Promise<void> {
  const { host } = session;
  const { columns } = study.record;
  const inputs = new Map<string, TranscriptInput>();
  for (const { input } of planned) if (input !== null) inputs.set(input.key, input);
  const jobs = planned.flatMap(({ job }, index) => (job === null ? [] : { ...job, index }));
  for (const { run, known, job } of planned) if (job === null) keep(rowOf(columns, run, known));
  const stop = new AbortController();
  const abort = (): void => stop.abort();
  host.interrupt.addEventListener('abort', abort);
  if (host.interrupt.aborted) abort();
  let failure: unknown = null;
  let nextBreath = 0;
  try {
    await runJobs(jobs, [...inputs.values()], {
      workers: workers ?? availableParallelism(),
      entry: workerEntry(),
      threads,
      plugins: pluginFiles(),
      signal: stop.signal,
      onResult(result) {
        const { run, known } = planned[result.index]!;
        const outcome = result.ok
          ? { ...result.metrics, skipped: result.skipped.length === 0 ? null : result.skipped.join('; ') }
          : { error: result.error.message };
        try {
          keep(rowOf(columns, run, { ...outcome, ...known }));
        } catch (error) {
          failure ??= error;
          abort();
        }
      },
      async pause() {
        if (host.now() < nextBreath) return;
        await setImmediate();
        nextBreath = host.now() + BREATH_MS;
      },
    });
  } finally {
    host.interrupt.removeEventListener('abort', abort);
  }
  if (failure !== null) throw failure;
  if (host.interrupt.aborted) throw new Interrupted();
}
