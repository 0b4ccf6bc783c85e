import { performance } from 'node:perf_hooks';
import { benchPlan } from '../../bench/plan.js';
import type { BenchResult } from '../../bench/result.js';
import type { RunPlan } from '../../model/run-plan.js';
import { resolvePolicy } from '../../policies/catalogue.js';
import type { Job } from '../../study/job.js';
import { runJobs, workerEntry } from '../../study/pool.js';
import { syntheticInput } from '../../study/transcript-input.js';

const TURNS = 500;
const POLICY = 'claude-code/2.1.112';

function jobsOf(points: number, transcript: string): readonly Job[] {
  return Array.from({ length: points }, (_, index): Job => {
    const percent = 30 + (60 * index) / points;
    const plan: RunPlan = {
      ...benchPlan(POLICY),
      policy: { name: POLICY, params: resolvePolicy(POLICY, { 'window.percent': percent }) },
    };
    return { index, plan, transcript, share: 1, metrics: [] };
  });
}

/** A sweep of many points on one and on two worker threads, in turns. */
export async function workersSuite(options: { readonly quick: boolean }): Promise<Partial<BenchResult>> {
  const points = options.quick ? 60 : 200;
  const input = syntheticInput({ workload: 'refactor', turns: TURNS, seed: 1, model: 'claude-sonnet-4-5' });
  const jobs = jobsOf(points, input.key);
  const time = async (workers: number): Promise<number> => {
    const start = performance.now();
    await runJobs(jobs, [input], {
      workers,
      entry: workerEntry(),
      signal: new AbortController().signal,
      onResult() {},
      pause: () => Promise.resolve(),
    });
    return performance.now() - start;
  };
  await time(2);
  let one = Number.POSITIVE_INFINITY;
  let two = Number.POSITIVE_INFINITY;
  for (let round = 0; round < (options.quick ? 2 : 3); round++) {
    one = Math.min(one, await time(1));
    two = Math.min(two, await time(2));
  }
  const rate = Math.round((points * TURNS) / (two / 1_000));
  return {
    ratios: [
      {
        name: 'workers',
        ratio: one / two,
        promised: 1.8,
        detail: `${points} points of ${TURNS} turns: ${one.toFixed(0)} ms on one worker, ${two.toFixed(0)} ms on two (${rate} turns/s)`,
      },
    ],
  };
}
