import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../src/base/digest.js';
import { CcbenchError } from '../../src/base/errors.js';
import { LAYERS, type LogEntry } from '../../src/model/run-log.js';
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

  it('C40 the generated worlds reach the states that matter', { timeout: TIMEOUT_MS }, () => {
    const worldsSeen = fc.sample(worlds, { numRuns: 400, seed: 7 });
    const reached = new Map<string, number>();
    for (const world of worldsSeen) {
      const plan = planFor(world);
      if (plan === null) continue;
      for (const state of statesOf(runLog(plan, transcriptOf(world.story))))
        reached.set(state, (reached.get(state) ?? 0) + 1);
    }
    const share = (state: string) => (reached.get(state) ?? 0) / worldsSeen.length;
    expect(share('compaction failed')).toBeGreaterThan(0.15);
    expect(share('breaker tripped')).toBeGreaterThan(0.03);
    expect(share('fork')).toBeGreaterThan(0.2);
    expect(share('resume')).toBeGreaterThan(0.3);
    for (const layer of LAYERS) expect(reached.get(layer) ?? 0, `${layer} never acts`).toBeGreaterThan(0);
  });
});

/** What happened in a run, each once. */
function statesOf(entries: readonly LogEntry[]): ReadonlySet<string> {
  const states = new Set<string>();
  for (const entry of entries) {
    if (entry.type === 'layer') {
      states.add(entry.layer);
      if (entry.action === 'compact' && entry.outcome === 'failed') states.add('compaction failed');
    }
    if (entry.type === 'breaker') states.add(`breaker ${entry.state}`);
    if (entry.type === 'thread' && entry.sharedTokens !== undefined) states.add('fork');
    if (entry.type === 'notice') states.add(entry.what);
  }
  return states;
}
