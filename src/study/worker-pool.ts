import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { PluginFile } from '../config/plugins/plugin.js';
import { shareInput, type TranscriptInput } from '../transcripts/files/transcript-input.js';
import { expectedCalls, type Job, type JobResult, jobError, KNOWN_TRANSCRIPTS } from './job.js';
import type { WorkerOrder, WorkerSetup } from './worker-run.js';

/** Calls that a worker has at hand in jobs, so that it does not wait for the next one while this thread plans or writes. */
const CALLS_AT_HAND = 5_000;

/** Jobs it has at hand, at least and at most. */
const [FEW_JOBS, MANY_JOBS] = [2, 32];

/** Every core has a thread at work: helpers of one thread's collector would only take another's time. */
const ONE_COLLECTOR = '--no-parallel-scavenge';

interface Share {
  next: number;
  end: number;
}

/**
 * Jobs that threads take one after the other. Each has a share of neighbours, because neighbours have much in common that a
 * thread keeps; one that is through with its own takes half of what is left of the largest. @internal
 */
export class JobShares<Taker, Work = Job> {
  private readonly shares = new Map<Taker, Share>();
  private readonly returned: Work[] = [];
  /** Jobs that nobody has taken. */
  size: number;

  constructor(private readonly jobs: readonly Work[]) {
    this.size = jobs.length;
  }

  /** Gives each its share of all. */
  shareOut(takers: readonly Taker[]): void {
    const at = (i: number): number => Math.floor((i * this.jobs.length) / takers.length);
    for (const [i, taker] of takers.entries()) this.shares.set(taker, { next: at(i), end: at(i + 1) });
  }

  /** The next job; null when none is left. */
  take(taker: Taker): Work | null {
    if (this.size === 0) return null;
    this.size--;
    const returned = this.returned.pop();
    if (returned !== undefined) return returned;
    let share = this.shares.get(taker);
    if (share === undefined || share.next === share.end) {
      share = this.halfOfLargest();
      this.shares.set(taker, share);
    }
    return this.jobs[share.next++]!;
  }

  /** Takes jobs back that were not done. */
  giveBack(jobs: readonly Work[]): void {
    this.returned.push(...[...jobs].reverse());
    this.size += jobs.length;
  }

  private halfOfLargest(): Share {
    let largest: Share = { next: 0, end: 0 };
    for (const share of this.shares.values())
      if (share.end - share.next > largest.end - largest.next) largest = share;
    const half = { next: (largest.next + largest.end) >> 1, end: largest.end };
    largest.end = half.next;
    return half;
  }
}

/** A thread at work. */
interface Thread<Work> {
  readonly worker: Worker;
  /** Keys of what it was sent and keeps. */
  readonly known: Set<string>;
  /** Jobs it was given, the one it works on first. */
  readonly queue: Work[];
}

/** The jobs of one call, and who gets their results. */
interface Batch<Work, Result> {
  /** Jobs nobody has been given. */
  readonly left: JobShares<Thread<Work>, Work>;
  /** Jobs that a thread is given ahead while there are plenty. */
  readonly atHand: number;
  /** What a thread is sent for a job; `known` are keys of what it has. */
  order(job: Work, known: Set<string>): unknown;
  unfinished: number;
  finish(result: Result): void;
  settle(): void;
}

/** What threads are given in one call. */
export type BatchOf<Work, Result> = Pick<Batch<Work, Result>, 'atHand' | 'order' | 'finish'>;

/** What threads are started with. */
interface ThreadSetup<Work, Result> {
  /** The script of a thread: it answers each order with one result. */
  readonly entry: URL;
  /** All cores where undefined. */
  readonly size: number | undefined;
  readonly workerData: unknown;
  /** Megabytes of a thread's memory for what was just made; the usual where absent. Less takes more collections. */
  readonly youngMb?: number;
  /** The result of a job whose thread ended. */
  lost(job: Work, error: unknown): Result;
}

/** Worker threads that are started when there are jobs and stay warm until the pool is closed. */
export class ThreadPool<Work, Result> {
  readonly #setup: ThreadSetup<Work, Result>;
  readonly #size: number;
  readonly #threads = new Set<Thread<Work>>();
  #batch: Batch<Work, Result> | null = null;

  constructor(setup: ThreadSetup<Work, Result>) {
    this.#setup = setup;
    this.#size = setup.size ?? availableParallelism();
    setFlagsFromString(ONE_COLLECTOR);
  }

  /** Runs jobs, one call at a time; an abort ends the threads and leaves the rest undone. */
  async run(jobs: readonly Work[], signal: AbortSignal, given: BatchOf<Work, Result>): Promise<void> {
    if (signal.aborted || jobs.length === 0) return;
    let settle = (): void => {};
    const settled = new Promise<void>((resolve) => {
      settle = resolve;
    });
    const batch: Batch<Work, Result> = {
      ...given,
      left: new JobShares(jobs),
      unfinished: jobs.length,
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

  #start(): Thread<Work> {
    const { entry, workerData, youngMb } = this.#setup;
    const resourceLimits = youngMb === undefined ? {} : { maxYoungGenerationSizeMb: youngMb };
    const worker = new Worker(entry, { workerData, resourceLimits });
    const thread: Thread<Work> = { worker, known: new Set(), queue: [] };
    this.#threads.add(thread);
    thread.worker.on('message', (result: Result) => this.#finished(thread, result));
    let reason: unknown = new Error('the worker ended');
    thread.worker.on('error', (error) => {
      reason = error;
    });
    // All results that it sent arrive before the event of its exit.
    thread.worker.on('exit', () => this.#died(thread, reason));
    return thread;
  }

  #give(thread: Thread<Work>, { left, atHand, order }: Batch<Work, Result>): void {
    // Half of what is left for all: towards the end one by one, so that all threads end together.
    const most = Math.min(atHand, Math.max(1, Math.floor(left.size / (2 * this.#size))));
    while (thread.queue.length < most) {
      const job = left.take(thread);
      if (job === null) return;
      thread.queue.push(job);
      thread.worker.postMessage(order(job, thread.known));
    }
  }

  #finished(thread: Thread<Work>, result: Result): void {
    const batch = this.#batch;
    if (batch === null || !this.#threads.has(thread)) return;
    thread.queue.shift();
    this.#give(thread, batch);
    this.#report(batch, result);
  }

  #died(thread: Thread<Work>, error: unknown): void {
    const batch = this.#batch;
    if (!this.#threads.delete(thread) || batch === null) return;
    const [job, ...rest] = thread.queue;
    batch.left.giveBack(rest);
    if (batch.left.size > 0) this.#give(this.#start(), batch);
    if (job !== undefined) this.#report(batch, this.#setup.lost(job, error));
  }

  #report(batch: Batch<Work, Result>, result: Result): void {
    batch.unfinished--;
    batch.finish(result);
    if (batch.unfinished === 0) batch.settle();
  }
}

function jobsAtHand(inputs: readonly TranscriptInput[]): number {
  const longest = inputs.reduce((most, input) => Math.max(most, expectedCalls(input)), 1);
  return Math.min(MANY_JOBS, Math.max(FEW_JOBS, Math.floor(CALLS_AT_HAND / longest)));
}

/** Threads that run the jobs of studies. */
export class WorkerPool {
  readonly #threads: ThreadPool<Job, JobResult>;
  /** Transcripts in memory that all threads read, by key. */
  readonly #shared = new Map<string, TranscriptInput>();

  /** Threads load the same plug-ins as the thread that starts them; an undefined size takes all cores. */
  constructor(entry: URL, size: number | undefined, plugins: readonly PluginFile[]) {
    const workerData: WorkerSetup = { plugins };
    this.#threads = new ThreadPool({
      entry,
      size,
      workerData,
      lost: ({ index }, error) => ({ ok: false, index, error: jobError(error) }),
    });
  }

  /** Runs jobs, one call at a time; an abort ends the threads and leaves the rest undone. */
  run(
    jobs: readonly Job[],
    inputs: readonly TranscriptInput[],
    signal: AbortSignal,
    finish: (result: JobResult) => void,
  ): Promise<void> {
    const byKey = new Map(inputs.map((input) => [input.key, input] as const));
    const order = (job: Job, known: Set<string>): WorkerOrder => {
      const isNew = !known.has(job.transcript);
      if (isNew && known.size >= KNOWN_TRANSCRIPTS) known.clear();
      known.add(job.transcript);
      return { job, input: isNew ? this.#share(byKey.get(job.transcript) ?? null) : null };
    };
    return this.#threads.run(jobs, signal, { atHand: jobsAtHand(inputs), order, finish });
  }

  /** Ends the threads. */
  close(): Promise<void> {
    return this.#threads.close();
  }

  #share(input: TranscriptInput | null): TranscriptInput | null {
    if (input === null) return null;
    const known = this.#shared.get(input.key) ?? shareInput(input);
    if (this.#shared.size >= KNOWN_TRANSCRIPTS) this.#shared.clear();
    this.#shared.set(input.key, known);
    return known;
  }
}
