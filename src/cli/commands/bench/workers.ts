import { performance } from 'node:perf_hooks';
import { benchPlan } from '../../../bench/plan.js';
import type { BenchResult } from '../../../bench/result.js';
import type { RunPlan } from '../../../model/run-plan.js';
import { resolvePolicy } from '../../../policies/catalogue.js';
import type { Job } from '../../../study/job.js';
import { runJobs, workerEntry } from '../../../study/pool.js';
import { syntheticInput, type TranscriptInput } from '../../../study/transcript-input.js';
import { WorkerPool } from '../../../study/worker-pool.js';

const TURNS = 2_000;
const POLICY = 'claude-code/2.1.112';

/** The points of a sweep; those of another seed share no run with them. */
function jobsOf(points: number, transcript: string, seed: number): readonly Job[] {
  return Array.from({ length: points }, (_, index): Job => {
    const percent = 30 + (60 * index) / points;
    const plan: RunPlan = {
      ...benchPlan(POLICY),
      seed,
      policy: { name: POLICY, params: resolvePolicy(POLICY, { 'window.percent': percent }) },
    };
    return { index, plan, transcript, share: 1, metrics: [] };
  });
}

/** Sweeps on threads of its own: the first one starts them, later ones find them warm. */
class Contender {
  readonly workers: number;
  /** Time of the first sweep: start of the threads, loading and compiling included. */
  coldMs = 0;
  /** Time until the first result of the first sweep. */
  firstResultMs = 0;
  /** The best time of a later sweep. */
  warmMs = Number.POSITIVE_INFINITY;
  /** The least processor time of a later sweep, over all threads. */
  busyMs = Number.POSITIVE_INFINITY;
  readonly #threads: WorkerPool | null;

  constructor(workers: number) {
    const entry = workerEntry();
    this.workers = workers;
    this.#threads = entry === null ? null : new WorkerPool(entry, workers, []);
  }

  async sweep(jobs: readonly Job[], input: TranscriptInput): Promise<void> {
    const start = performance.now();
    const before = process.cpuUsage();
    let firstMs = 0;
    await runJobs(jobs, [input], {
      workers: this.workers,
      entry: workerEntry(),
      threads: this.#threads,
      signal: new AbortController().signal,
      onResult() {
        if (firstMs === 0) firstMs = performance.now() - start;
      },
      pause: () => Promise.resolve(),
    });
    const ms = performance.now() - start;
    const { user, system } = process.cpuUsage(before);
    if (this.coldMs === 0) {
      this.coldMs = ms;
      this.firstResultMs = firstMs;
      return;
    }
    this.warmMs = Math.min(this.warmMs, ms);
    this.busyMs = Math.min(this.busyMs, (user + system) / 1_000);
  }

  async close(): Promise<void> {
    await this.#threads?.close();
  }
}

/** A sweep of many points on one and on two worker threads, in turns: the first one cold, the others warm. */
export async function workersSuite(options: { readonly quick: boolean }): Promise<Partial<BenchResult>> {
  const points = options.quick ? 60 : 200;
  // The start costs about a second, once: a sweep is cold in the way that sweeps are, not for one second of work.
  const coldPoints = options.quick ? 200 : 1_000;
  const input = syntheticInput({ workload: 'refactor', turns: TURNS, seed: 1, model: 'claude-sonnet-4-5' });
  const one = new Contender(1);
  const two = new Contender(2);
  try {
    for (let round = 0; round <= (options.quick ? 3 : 5); round++) {
      const jobs = jobsOf(round === 0 ? coldPoints : points, input.key, round);
      await one.sweep(jobs, input);
      await two.sweep(jobs, input);
    }
  } finally {
    await one.close();
    await two.close();
  }
  const size = `${points} points of ${TURNS} turns`;
  const coldSize = `${coldPoints} points of ${TURNS} turns`;
  const rate = Math.round((points * TURNS) / (two.warmMs / 1_000));
  return {
    ratios: [
      {
        name: 'workers',
        ratio: one.warmMs / two.warmMs,
        promised: 1.8,
        detail: `${size} on warm threads: ${one.warmMs.toFixed(0)} ms on one worker, ${two.warmMs.toFixed(0)} ms on two (${rate} turns/s); processor time ${one.busyMs.toFixed(0)} and ${two.busyMs.toFixed(0)} ms`,
      },
      {
        name: 'workers-cold',
        ratio: one.coldMs / two.coldMs,
        promised: 1.8,
        detail: `${coldSize} with the start of the threads: ${one.coldMs.toFixed(0)} ms on one worker, ${two.coldMs.toFixed(0)} ms on two; first result after ${one.firstResultMs.toFixed(0)} and ${two.firstResultMs.toFixed(0)} ms, and each thread compiles the hot code for itself`,
      },
    ],
  };
}
