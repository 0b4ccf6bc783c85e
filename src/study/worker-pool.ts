import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { PluginFile } from '../config/plugins/plugin.js';
import type { TranscriptInput } from '../transcripts/files/transcript-input.js';
import { shareInput } from '../transcripts/files/transcript-input.js';
import { expectedCalls } from './expected-calls.js';
import { type Job, type JobResult, jobError, KNOWN_TRANSCRIPTS } from './job.js';
import { JobShares } from './job-shares.js';
import type { WorkerOrder, WorkerSetup } from './worker-run.js';

/** Calls that a worker has at hand in jobs, so that it does not wait for the next one while this thread plans or writes. */
const CALLS_AT_HAND = 5_000;

/** Jobs it has at hand, at least and at most. */
const [FEW_JOBS, MANY_JOBS] = [2, 32];

/** Every core has a thread at work: helpers of one thread's collector would only take another's time. */
const ONE_COLLECTOR = '--no-parallel-scavenge';

interface Thread {
  readonly worker: Worker;
  /** Keys of the transcripts it was sent. */
  readonly known: Set<string>;
  /** Jobs it was given, the one it works on first. */
  readonly queue: Job[];
}

/** The jobs of one call, and who hears of their results. */
interface Batch {
  /** Jobs nobody has been given. */
  readonly left: JobShares<Thread>;
  readonly inputs: ReadonlyMap<string, TranscriptInput>;
  /** Jobs that a thread is given ahead while there are plenty. */
  readonly atHand: number;
  unfinished: number;
  finish(result: JobResult): void;
  settle(): void;
}

function jobsAtHand(inputs: readonly TranscriptInput[]): number {
  const longest = inputs.reduce((most, input) => Math.max(most, expectedCalls(input)), 1);
  return Math.min(MANY_JOBS, Math.max(FEW_JOBS, Math.floor(CALLS_AT_HAND / longest)));
}

/** Worker threads that are started when there are jobs and stay warm until the pool is closed. */
export class WorkerPool {
  readonly #entry: URL;
  readonly #size: number;
  readonly #plugins: readonly PluginFile[];
  readonly #threads = new Set<Thread>();
  /** Transcripts in memory that all threads read, by key. */
  readonly #shared = new Map<string, TranscriptInput>();
  #batch: Batch | null = null;

  /** Threads load the same plug-ins as the thread that starts them. */
  constructor(entry: URL, size: number, plugins: readonly PluginFile[]) {
    this.#entry = entry;
    this.#plugins = plugins;
    this.#size = size;
    setFlagsFromString(ONE_COLLECTOR);
  }

  /** Runs jobs, one call at a time; when it is told to stop, the threads are ended and the rest is left undone. */
  async run(
    jobs: readonly Job[],
    inputs: readonly TranscriptInput[],
    signal: AbortSignal,
    finish: (result: JobResult) => void,
  ): Promise<void> {
    if (signal.aborted || jobs.length === 0) return;
    let settle = (): void => {};
    const settled = new Promise<void>((resolve) => {
      settle = resolve;
    });
    const batch: Batch = {
      left: new JobShares(jobs),
      inputs: new Map(inputs.map((input) => [input.key, input] as const)),
      atHand: jobsAtHand(inputs),
      unfinished: jobs.length,
      finish,
      settle,
    };
    this.#batch = batch;
    signal.addEventListener('abort', settle);
    while (this.#threads.size < Math.min(this.#size, jobs.length)) this.#start();
    batch.left.shareOut([...this.#threads]);
    for (const thread of this.#threads) this.#give(thread, batch);
    await settled;
    signal.removeEventListener('abort', settle);
    this.#batch = null;
    if (batch.unfinished > 0) await this.close();
  }

  /** Ends the threads. */
  async close(): Promise<void> {
    const threads = [...this.#threads];
    this.#threads.clear();
    await Promise.all(threads.map(({ worker }) => worker.terminate()));
  }

  #start(): Thread {
    const workerData: WorkerSetup = { plugins: this.#plugins };
    const worker = new Worker(this.#entry, { workerData });
    const thread: Thread = { worker, known: new Set(), queue: [] };
    this.#threads.add(thread);
    thread.worker.on('message', (result: JobResult) => this.#finished(thread, result));
    let reason: unknown = new Error('the worker ended');
    thread.worker.on('error', (error) => {
      reason = error;
    });
    // All results that it sent have arrived before its exit is told.
    thread.worker.on('exit', () => this.#died(thread, reason));
    return thread;
  }

  #give(thread: Thread, { left, inputs, atHand }: Batch): void {
    // Half of what is left for all: towards the end one by one, so that all threads end together.
    const most = Math.min(atHand, Math.max(1, Math.floor(left.size / (2 * this.#size))));
    while (thread.queue.length < most) {
      const job = left.take(thread);
      if (job === null) return;
      thread.queue.push(job);
      const isNew = !thread.known.has(job.transcript);
      if (isNew && thread.known.size >= KNOWN_TRANSCRIPTS) thread.known.clear();
      thread.known.add(job.transcript);
      const input = isNew ? this.#share(inputs.get(job.transcript) ?? null) : null;
      thread.worker.postMessage({ job, input } satisfies WorkerOrder);
    }
  }

  #share(input: TranscriptInput | null): TranscriptInput | null {
    if (input === null) return null;
    const known = this.#shared.get(input.key) ?? shareInput(input);
    if (this.#shared.size >= KNOWN_TRANSCRIPTS) this.#shared.clear();
    this.#shared.set(input.key, known);
    return known;
  }

  #finished(thread: Thread, result: JobResult): void {
    const batch = this.#batch;
    if (batch === null || !this.#threads.has(thread)) return;
    thread.queue.shift();
    this.#give(thread, batch);
    this.#tell(batch, result);
  }

  #died(thread: Thread, error: unknown): void {
    const batch = this.#batch;
    if (!this.#threads.delete(thread) || batch === null) return;
    const [job, ...rest] = thread.queue;
    batch.left.giveBack(rest);
    if (batch.left.size > 0) this.#give(this.#start(), batch);
    if (job !== undefined) this.#tell(batch, { ok: false, index: job.index, error: jobError(error) });
  }

  #tell(batch: Batch, result: JobResult): void {
    batch.unfinished--;
    batch.finish(result);
    if (batch.unfinished === 0) batch.settle();
  }
}
