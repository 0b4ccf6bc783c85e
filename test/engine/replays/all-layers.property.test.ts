import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Transcript } from '../../../src/core/model/transcript.js';
import { LAYERS } from '../../../src/core/run/log-entries.js';
import { runSent } from '../../helpers/capture.js';
import { INVARIANT_CHECKS } from '../../helpers/drive/check-invariants.js';
import { checkRepeat } from '../../helpers/drive/check-pairs.js';
import { forAll } from '../../helpers/for-all.js';
import { planFor, transcriptOf, worlds } from '../../helpers/generators/arbitrary-world.js';
import { propertyRuns } from '../../helpers/generators/property-runs.js';
import { runLog } from '../../helpers/plan.js';
import { Reached, statesOf } from '../../helpers/reached.js';

/** Runs in all. */
const RUNS = propertyRuns(100);
const TIMEOUT_MS = Math.max(300_000, RUNS * 500);

describe('all layers together, with forks, faults, resumes, hooks and other clocks', () => {
  it(`${Object.keys(INVARIANT_CHECKS).join(' ')} hold in every run`, { timeout: TIMEOUT_MS }, () => {
    forAll({ numRuns: RUNS }, worlds, (world) => {
      const plan = planFor(world);
      fc.pre(plan !== null);
      const transcript = transcriptOf(world.story);
      const run = { plan: plan!, transcript, ...runSent(plan!, transcript) };
      for (const check of Object.values(INVARIANT_CHECKS)) check(run);
    });
  });

  it('INV-13 the same world gives the same bytes', { timeout: TIMEOUT_MS }, () => {
    forAll({ numRuns: Math.max(1, Math.round(RUNS / 20)) }, worlds, (world) => {
      const plan = planFor(world);
      fc.pre(plan !== null);
      checkRepeat(plan!, () => transcriptOf(world.story));
    });
  });

  it('C40 the generated worlds reach the states that matter', { timeout: TIMEOUT_MS }, () => {
    const reached = new Reached();
    for (const world of fc.sample(worlds, { numRuns: 150, seed: 7 })) {
      const plan = planFor(world);
      if (plan === null) continue;
      const transcript = transcriptOf(world.story);
      reached.add([...statesOf(runLog(plan, transcript)), ...recorded(transcript), plan.timing]);
    }
    for (const [state, least] of Object.entries(LEAST))
      expect(reached.share(state), state).toBeGreaterThanOrEqual(least);
    for (const layer of LAYERS) expect(reached.share(layer), `${layer} at work`).toBeGreaterThan(0);
  });
});

/** Share of the worlds that have to reach a state. */
const LEAST: Readonly<Record<string, number>> = {
  'compaction failed': 0.2,
  'breaker tripped': 0.05,
  fork: 0.2,
  subagent: 0.2,
  image: 0.2,
  resume: 0.3,
  'model-switch': 0.2,
  clear: 0.05,
  rewind: 0.05,
  dream: 0.02,
  snip: 0.005,
  collapse: 0.005,
  'think-time': 0.3,
  recorded: 0.3,
  'pause of minutes': 0.2,
  'pause of an hour': 0.2,
};

/** What a session brings along. */
function recorded({ threads }: Transcript): ReadonlySet<string> {
  const states = new Set<string>();
  for (const { steps } of threads) {
    let last: number | null = null;
    for (const step of steps) {
      if (step.kind === 'message' && step.message.blocks.some(({ kind }) => kind === 'image'))
        states.add('image');
      if (step.kind !== 'call') continue;
      const { startMs, endMs } = step.call;
      const gapMs = last === null ? 0 : startMs - last;
      if (gapMs >= 3_600_000) states.add('pause of an hour');
      else if (gapMs >= 300_000) states.add('pause of minutes');
      last = endMs;
    }
  }
  return states;
}
