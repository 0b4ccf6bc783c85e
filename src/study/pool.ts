import { Worker } from 'node:worker_threads';
import { type Job, type JobResult, jobError, jobParts, TranscriptShelf } from './job.js';
import type { TranscriptInput } from './transcript-input.js';
import type { WorkerOrder } from './worker-run.js';

/** How jobs are run and watched. */
export interface PoolOptions {
  /** Worker threads; 0 runs everything in this thread. */
  readonly workers: number;
  /** The built script of a worker; null where there is none, and then everything runs in this thread. */
  readonly entry: URL | null;
  /** Aborted when no more jobs are wanted; those that are finished stay finished. */
  readonly signal: AbortSignal;
  /** Hears of each result as it comes. */
  onResult(result: JobResult): void;
  /** Lets other things happen between two parts of a run in this thread. */
  pause(): Promise<void>;
}

/** The script that workers run, beside this one; null while the sources are run as they are. */
export function workerEntry(): URL | null {
  return import.meta.url.endsWith('.ts') ? null : new URL('./worker-run.js', import.meta.url);
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
  const workers = Math.min(options.workers, jobs.length);
  if (workers === 0 || options.entry === null) await runHere(jobs, inputs, options, finish);
  else await runOnWorkers(jobs, inputs, { ...options, workers, entry: options.entry }, finish);
  return results.sort((a, b) => a.index - b.index);
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

function runOnWorkers(
  jobs: readonly Job[],
  inputs: readonly TranscriptInput[],
  options: PoolOptions & { readonly entry: URL },
  finish: (result: JobResult) => void,
): Promise<void> {
  const byKey = new Map(inputs.map((input) => [input.key, input] as const));
  const threads = new Set<Worker>();
  let next = 0;
  let stopped = false;
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      options.signal.removeEventListener('abort', stop);
      Promise.all([...threads].map((worker) => worker.terminate())).then(() => resolve(), reject);
    };
    const stop = (): void => {
      stopped = true;
      next = jobs.length;
      settle();
    };
    const start = (): void => {
      const worker = new Worker(options.entry);
      const sent = new Set<string>();
      let current: Job | null = null;
      threads.add(worker);
      const give = (): void => {
        current = jobs[next++] ?? null;
        if (current === null) {
          threads.delete(worker);
          void worker.terminate();
          if (threads.size === 0) settle();
          return;
        }
        const isNew = !sent.has(current.transcript);
        sent.add(current.transcript);
        const input = isNew ? (byKey.get(current.transcript) ?? null) : null;
        worker.postMessage({ job: current, input } satisfies WorkerOrder);
      };
      worker.on('message', (result: JobResult) => {
        if (stopped) return;
        finish(result);
        give();
      });
      worker.on('error', (error) => {
        threads.delete(worker);
        if (stopped) return;
        if (current !== null) finish({ ok: false, index: current.index, error: jobError(error) });
        if (next < jobs.length) start();
        else if (threads.size === 0) settle();
      });
      give();
    };
    if (options.signal.aborted) return resolve();
    options.signal.addEventListener('abort', stop);
    for (let i = 0; i < options.workers; i++) start();
  });
}
