import { resolvePolicy } from '../../../agent/policies/catalogue.js';
import type { RunPlan } from '../../../core/run/run-plan.js';
import type { Job } from '../../../study/job.js';
import { syntheticInput } from '../../../transcripts/files/transcript-input.js';
import { Contender } from './contender.js';
import { benchPlan } from './plan.js';
import type { BenchResult } from './result.js';
import { workersRatios } from './workers-ratios.js';

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

/** A sweep of many points on one and on two worker threads, in turns: the first one cold, the others warm. */
export async function workersSuite(options: { readonly quick: boolean }): Promise<Partial<BenchResult>> {
  const points = options.quick ? 60 : 200;
  // The start costs each thread some seconds of compiling, once: a sweep is cold in the way that long sweeps are.
  const coldPoints = options.quick ? 200 : 2_000;
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
  return { ratios: workersRatios(one, two, { points, coldPoints, turns: TURNS }) };
}
