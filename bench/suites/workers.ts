import { performance } from 'node:perf_hooks';
import { resolvePolicy } from '../../src/agent/policies/plan-policy.js';
import { benchPlan } from '../../src/cli/commands/bench/plan.js';
import type { BenchResult, RatioResult } from '../../src/cli/commands/bench/result.js';
import type { RunPlan } from '../../src/core/run/run-plan.js';
import type { Job } from '../../src/study/job.js';
import { JobRunner } from '../../src/study/job-runner.js';
import { syntheticInput, type TranscriptInput } from '../../src/transcripts/files/transcript-input.js';

/** What sweeps took on this many threads. */
interface SweepTimes {
  /** Time of the first sweep: start of the threads, loading and compiling included. */
  readonly coldMs: number;
  /** Time until the first result of the first sweep. */
  readonly firstResultMs: number;
  /** The best time of a later sweep. */
  readonly warmMs: number;
  /** The least processor time of a later sweep, over all threads. */
  readonly busyMs: number;
}

/** Sweeps on threads of its own: the first one starts them, later ones find them warm. */
export class Contender implements SweepTimes {
  coldMs = 0;
  firstResultMs = 0;
  warmMs = Number.POSITIVE_INFINITY;
  busyMs = Number.POSITIVE_INFINITY;
  readonly #runner: JobRunner;

  constructor(workers: number) {
    this.#runner = new JobRunner({ workers, plugins: [] });
  }

  async sweep(jobs: readonly Job[], input: TranscriptInput): Promise<void> {
    const start = performance.now();
    const before = process.cpuUsage();
    let firstMs = 0;
    await this.#runner.run(jobs, [input], {
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
    await this.#runner.close();
  }
}

/** How many points a sweep had, warm and cold, and turns each. */
interface SweepSize {
  readonly points: number;
  readonly coldPoints: number;
  readonly turns: number;
}

/** How much faster sweeps are on two threads than on one, with threads that are warm and with their start. */
export function workersRatios(
  one: SweepTimes,
  two: SweepTimes,
  { points, coldPoints, turns }: SweepSize,
): readonly RatioResult[] {
  const rate = Math.round((points * turns) / (two.warmMs / 1_000));
  return [
    {
      name: 'workers',
      ratio: one.warmMs / two.warmMs,
      promised: 1.8,
      detail: `${points} points of ${turns} turns on warm threads: ${one.warmMs.toFixed(0)} ms on one worker, ${two.warmMs.toFixed(0)} ms on two (${rate} turns/s); processor time ${one.busyMs.toFixed(0)} and ${two.busyMs.toFixed(0)} ms`,
    },
    {
      name: 'workers-cold',
      ratio: one.coldMs / two.coldMs,
      promised: 1.8,
      detail: `${coldPoints} points of ${turns} turns with the start of the threads: ${one.coldMs.toFixed(0)} ms on one worker, ${two.coldMs.toFixed(0)} ms on two; first result after ${one.firstResultMs.toFixed(0)} and ${two.firstResultMs.toFixed(0)} ms, and each thread compiles the hot code for itself`,
    },
  ];
}

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
    return { index, plan, transcript, metrics: [] };
  });
}

/** A sweep of many points on one and on two worker threads, in turns: the first one cold, the others warm. */
export async function workersSuite(options: { readonly quick: boolean }): Promise<Partial<BenchResult>> {
  const turns = options.quick ? 200 : 2_000;
  const points = options.quick ? 8 : 200;
  // The start costs each thread some seconds of compiling, once: a sweep is cold in the way that long sweeps are.
  const coldPoints = options.quick ? 16 : 2_000;
  const input = syntheticInput({ workload: 'refactor', turns, seed: 1, model: 'claude-sonnet-4-5' });
  const one = new Contender(1);
  const two = new Contender(2);
  try {
    for (let round = 0; round <= (options.quick ? 1 : 5); round++) {
      const jobs = jobsOf(round === 0 ? coldPoints : points, input.key, round);
      await one.sweep(jobs, input);
      await two.sweep(jobs, input);
    }
  } finally {
    await one.close();
    await two.close();
  }
  return { ratios: workersRatios(one, two, { points, coldPoints, turns }) };
}
