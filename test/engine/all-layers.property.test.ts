import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../src/base/digest.js';
import { CcbenchError } from '../../src/base/errors.js';
import type { RunPlan } from '../../src/model/run-plan.js';
import { transcriptOf, type World, worlds } from '../helpers/arbitrary-world.js';
import { runSent } from '../helpers/capture.js';
import { INVARIANT_CHECKS, noteHumans } from '../helpers/check-invariants.js';
import { planOf, runLog } from '../helpers/plan.js';

/** Runs in all; CCBENCH_RUNS gives another number, CCBENCH_SEED replays a failure (fast-check prints the seed). */
const RUNS = Number(process.env.CCBENCH_RUNS ?? 1_000);
const SEED = process.env.CCBENCH_SEED === undefined ? {} : { seed: Number(process.env.CCBENCH_SEED) };
const TIMEOUT_MS = Math.max(120_000, RUNS * 500);

/** The plan of a world; settings that exclude each other are another test's matter. */
function planFor({ init }: World): RunPlan | null {
  try {
    return planOf(init);
  } catch (error) {
    if (error instanceof CcbenchError) return null;
    throw error;
  }
}

describe('all layers together, with forks, faults, resumes, hooks and other clocks', () => {
  it(`${Object.keys(INVARIANT_CHECKS).join(' ')} hold in every run`, { timeout: TIMEOUT_MS }, () => {
    fc.assert(
      fc.property(worlds, (world) => {
        const plan = planFor(world);
        fc.pre(plan !== null);
        const transcript = transcriptOf(world.story);
        noteHumans(transcript);
        const run = { plan: plan!, transcript, ...runSent(plan!, transcript) };
        for (const check of Object.values(INVARIANT_CHECKS)) check(run);
      }),
      { numRuns: RUNS, ...SEED },
    );
  });

  it('INV-13 the same world gives the same bytes', { timeout: TIMEOUT_MS }, () => {
    fc.assert(
      fc.property(worlds, (world) => {
        const plan = planFor(world);
        fc.pre(plan !== null);
        const log = () => canonicalJson(runLog(plan!, transcriptOf(world.story)));
        expect(log()).toBe(log());
      }),
      { numRuns: Math.max(1, Math.round(RUNS / 20)), ...SEED },
    );
  });
});
