import type { PluginFile } from '../config/plugins/plugin.js';
import type { TranscriptInput } from '../transcripts/files/transcript-input.js';
import { type Job, type JobResult, jobError, jobParts, TranscriptShelf } from './job.js';
import { WorkerPool } from './worker-pool.js';

/** How jobs are run and watched. */
export interface PoolOptions {
  /** Worker threads; 0 runs everything in this thread. */
  readonly workers: number;
  /** The built script of a worker; null where there is none, and then everything runs in this thread. */
  readonly entry: URL | null;
  /** Plug-ins that threads load; none where absent. */
  readonly plugins?: readonly PluginFile[];
  /** Threads that are kept for further studies; without them, threads are started and ended with the jobs. */
  readonly threads?: WorkerPool | null;
  /** Aborted when no more jobs are wanted; those that are finished stay finished. */
  readonly signal: AbortSignal;
  /** Hears of each result as it comes. */
  onResult(result: JobResult): void;
  /** Lets other things happen between two parts of a run in this thread. */
  pause(): Promise<void>;
}

/** The script that workers run, made of `worker-run` and all it needs; null while the sources are run as they are. */
export function workerEntry(): URL | null {
  return import.meta.url.endsWith('.ts') ? null : new URL('./worker-bundle.js', import.meta.url);
}

/**
 * Runs jobs on worker threads or in this one. Results are ordered by index whatever finished first, so the outcome is
 * the same with any number of workers; a job that fails is a result like any other.
 */
export async function runJobs(
  jobs: readonly Job[],
  inputs: readonly TranscriptInput[],
  options: PoolOptions,
): Promise<readonly JobResult[]> {
  const results: JobResult[] = [];
  const finish = (result: JobResult): void => {
    results.push(result);
    options.onResult(result);
  };
  const { workers, entry, threads, signal } = options;
  const ordered = byTranscript(jobs);
  if (workers === 0 || entry === null || jobs.length === 0) await runHere(ordered, inputs, options, finish);
  else if (threads) await threads.run(ordered, inputs, signal, finish);
  else await runOnce(new WorkerPool(entry, workers, options.plugins ?? []), ordered, inputs, signal, finish);
  return results.sort((a, b) => a.index - b.index);
}

/** Jobs on one transcript follow each other, so that it is opened once; transcripts come in the order of their first jobs. */
function byTranscript(jobs: readonly Job[]): readonly Job[] {
  const groups = new Map<string, Job[]>();
  for (const job of jobs) {
    const group = groups.get(job.transcript);
    if (group === undefined) groups.set(job.transcript, [job]);
    else group.push(job);
  }
  return [...groups.values()].flat();
}

async function runHere(
  jobs: readonly Job[],
  inputs: readonly TranscriptInput[],
  options: PoolOptions,
  finish: (result: JobResult) => void,
): Promise<void> {
  const shelf = new TranscriptShelf();
  for (const input of inputs) shelf.add(input);
  for (const job of jobs) {
    await options.pause();
    if (options.signal.aborted) return;
    let parts: Generator<void, JobResult, void>;
    try {
      parts = jobParts(job, shelf.get(job.transcript));
    } catch (error) {
      finish({ ok: false, index: job.index, error: jobError(error) });
      continue;
    }
    let step = parts.next();
    while (step.done !== true) {
      await options.pause();
      if (options.signal.aborted) return;
      step = parts.next();
    }
    finish(step.value);
  }
}

async function runOnce(
  pool: WorkerPool,
  jobs: readonly Job[],
  inputs: readonly TranscriptInput[],
  signal: AbortSignal,
  finish: (result: JobResult) => void,
): Promise<void> {
  try {
    await pool.run(jobs, inputs, signal, finish);
  } finally {
    await pool.close();
  }
}
