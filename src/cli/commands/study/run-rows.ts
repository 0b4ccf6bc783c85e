import { setImmediate } from 'node:timers/promises';
import { formatCount, formatCounted, formatDecimal } from '../../../core/base/format.js';
import type { VariantRuns } from '../../../study/completeness.js';
import type { JobError } from '../../../study/job.js';
import type { JobRunner } from '../../../study/job-runner.js';
import { KeptRuns, type StoredResult } from '../../../study/kept-runs.js';
import type { RunStore } from '../../../study/results/run-store.js';
import {
  type FoundRuns,
  makeRuns,
  missingRuns,
  planRows,
  type RowMeasure,
  type RowRun,
  type RunJobs,
  runsOfRows,
  type StudyRow,
} from '../../../study/run-rows.js';
import { type CliSession, note, remark } from '../../session.js';
import { Interrupted, runInterruptible } from '../../terminal/interrupt.js';
import { createProgress } from '../../terminal/progress.js';
import type { StudyInputs, StudyTranscript } from './study-inputs.js';

/** Wall time between two looks at the terminal while runs continue in this thread. */
const LOOK_MS = 20;

/** Shorter studies are over before their threads run at full speed: a rate would say little. */
const RATE_FROM_MS = 1_000;

/** Runs jobs for a command. Ctrl-C ends it; results that came before are not lost. */
export function runJobs({ host }: CliSession, runner: JobRunner): RunJobs {
  return async (jobs, inputs, onResult) => {
    let nextLook = 0;
    await runner.run(jobs, inputs, {
      signal: host.interrupt,
      onResult,
      async pause() {
        if (host.now() < nextLook) return;
        await setImmediate();
        nextLook = host.now() + LOOK_MS;
      },
    });
    if (host.interrupt.aborted) throw new Interrupted();
  };
}

/** How the rows of a study are run. */
export interface RowOptions<Row> extends RowMeasure {
  readonly label: string;
  readonly runner: JobRunner;
  /** Where results are kept; null keeps none. */
  readonly store: (Pick<RunStore, 'results' | 'earlier' | 'append'> & { readonly shown: string }) | null;
  /** Results of these runs that other machines have made. */
  readonly made?: readonly StoredResult[];
  /** The command that repeats a run. */
  repeat(run: RowRun<Row, StudyTranscript>): string;
}

/** What came of the rows of a study. */
export interface RowOutcome<Row> {
  readonly planned: readonly RowRun<Row, StudyTranscript>[];
  readonly found: FoundRuns;
  /** Why runs failed, by their keys. */
  readonly failed: ReadonlyMap<string, JobError>;
  readonly runs: readonly VariantRuns[];
  /** Runs that were not finished before. */
  readonly ran: number;
}

/** Runs what is not finished already; each result is kept at once, so an interrupted study continues where it stopped. */
export async function runRows<Row extends StudyRow>(
  session: CliSession,
  rows: readonly Row[],
  inputs: StudyInputs,
  options: RowOptions<Row>,
): Promise<RowOutcome<Row>> {
  const { store, made } = options;
  const { host } = session;
  const planned = await runInterruptible(host.interrupt, () => planRows(rows, inputs, options));
  const found = store?.results ?? new KeptRuns();
  const keep = (result: StoredResult): void => {
    found.set(result.key, result);
    store?.append(result);
  };
  if (made !== undefined) {
    const wanted = new Set(missingRuns(planned, found).map(({ key }) => key));
    for (const result of made) if (wanted.has(result.key)) keep(result);
  }
  const missing = missingRuns(planned, found);
  const keys = new Set(planned.map(({ key }) => key));
  noteFound(session, keys, missing, options);
  const progress = createProgress(session, 'runs');
  let [kept, done, turns] = [keys.size - missing.length, 0, 0];
  const startMs = host.now();
  progress.start(options.label, missing.length);
  try {
    const failed = await makeRuns(
      missing,
      (jobs, transcripts, onResult) =>
        runJobs(session, options.runner)(jobs, transcripts, (result) => {
          try {
            onResult(result);
          } finally {
            progress.update(++done);
          }
        }),
      (result) => {
        keep(result);
        turns += result.metrics.turns ?? 0;
        kept++;
      },
    );
    progress.clear();
    const tookMs = host.now() - startMs;
    if (host.stderr.isTerminal && !session.json && tookMs >= RATE_FROM_MS)
      remark(session, rateText(turns, tookMs));
    noteFailures(session, missing, failed, options);
    const runs = await runInterruptible(host.interrupt, () => runsOfRows(rows, planned, found));
    return { planned, found, failed, runs, ran: missing.length };
  } catch (error) {
    progress.clear();
    if (store !== null) note(session, `${kept} of ${keys.size} finished runs are kept in ${store.shown}`);
    throw error;
  }
}

/** Says what is not run again. The steps of a search use each other's runs: only those of an earlier start are news. */
function noteFound<Row>(
  session: CliSession,
  keys: ReadonlySet<string>,
  missing: readonly RowRun<Row, StudyTranscript>[],
  { store, made }: RowOptions<Row>,
): void {
  if (made !== undefined) {
    if (missing.length > 0)
      note(session, `${formatCounted(missing.length, 'run')} failed on other machines: retried here`);
    return;
  }
  const open = new Set(missing.map(({ key }) => key));
  const earlier = [...keys].filter((key) => store?.earlier.has(key) && !open.has(key)).length;
  if (earlier === 0) return;
  const total = formatCounted(keys.size, 'run');
  note(session, `${earlier} of ${total} ${earlier === 1 ? 'is' : 'are'} finished already`);
}

/** Says which runs failed and how to repeat each. */
function noteFailures<Row>(
  session: CliSession,
  made: readonly RowRun<Row, StudyTranscript>[],
  failed: ReadonlyMap<string, JobError>,
  { repeat }: RowOptions<Row>,
): void {
  for (const run of made) {
    const error = failed.get(run.key);
    if (error === undefined) continue;
    note(session, `a run failed: error[${error.code}] ${error.message}`);
    if (error.hint !== null) note(session, `  hint: ${error.hint}`);
    note(session, `  repeat: ${repeat(run)}`);
  }
  if (failed.size === 0) return;
  const rest = failed.size === made.length ? 'none is left' : 'the others are used';
  note(session, `${failed.size} of ${formatCounted(made.length, 'run')} failed; ${rest}`);
}

function rateText(turns: number, ms: number): string {
  const perSecond = formatCount(Math.round((turns * 1_000) / ms));
  return `${formatCounted(turns, 'turn')} in ${formatDecimal(ms / 1_000, 1)} s: ${perSecond} turns/s`;
}
