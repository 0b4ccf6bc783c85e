import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { sweepReplayParts } from '../../../src/engine/columnar/sweep-replay.js';
import { Checkpoint, canCheckpoint } from '../../../src/engine/run/checkpoint.js';
import { createMetricsFold, foldLog } from '../../../src/metrics/fold.js';
import { generateTranscript } from '../../../src/transcripts/synthetic/generate-transcript.js';
import { forAll } from '../../helpers/for-all.js';
import { anyWindow, buildSession, sessionSteps } from '../../helpers/generators/arbitrary-session.js';
import { propertyRuns } from '../../helpers/generators/property-runs.js';
import { type PlanInit, planOf, runLog } from '../../helpers/plan.js';
import { expectSame, limitAt, sweep } from './swept.js';

afterEach(() => {
  vi.restoreAllMocks();
});

/** Policies whose layers can be checkpointed. */
const POLICIES = [
  'claude-code/2.0',
  'claude-code/2.0.76',
  'claude-code/2.1',
  'claude-code/2.1.7',
  'claude-code/2.1.112',
  'claude-code/2.1.325',
  'claude-code/2026',
  'baselines/mask',
  'baselines/summarise',
  'peers/cline',
  'peers/codex-background',
  'peers/codex-local',
  'peers/crush',
  'peers/kilo',
  'peers/openai-responses',
  'peers/qwen-code',
  'peers/roo',
  'peers/swe-agent',
  'peers/zed',
];

/** Plans whose limits rise from one to the next. */
function rising(init: PlanInit & { readonly policy: string }, shares: readonly number[]) {
  return [...shares]
    .sort((a, b) => a - b)
    .map((share) => planOf({ ...init, set: limitAt(init.policy, share)! }));
}

const tenths = Array.from({ length: 40 }, (_, i) => 0.2 + i / 50);
const everyThird = tenths.filter((_, i) => i % 3 === 0);
const everyFifth = tenths.filter((_, i) => i % 5 === 0);

describe('plans whose limits rise', () => {
  it('resume from a checkpoint of the plan before, and log what the engine logs', () => {
    const resume = vi.spyOn(Checkpoint.prototype, 'resume');
    const forks = new Map<string, number>();
    forAll(
      { numRuns: propertyRuns(25) },
      fc.constantFrom(...POLICIES),
      sessionSteps,
      anyWindow,
      fc.array(fc.double({ min: 0.1, max: 1, noNaN: true }), { minLength: 5, maxLength: 9 }),
      fc.constantFrom('recorded' as const, 'think-time' as const),
      (policy, steps, window, shares, timing) => {
        const before = resume.mock.calls.length;
        expectSame(rising({ policy, window, timing }, shares), buildSession(steps));
        forks.set(policy, (forks.get(policy) ?? 0) + resume.mock.calls.length - before);
      },
    );
    const some = [...forks.values()].filter((count) => count > 0);
    expect(some.length).toBeGreaterThan(POLICIES.length / 2);
  }, 240_000);

  it('do so under each policy of the list on a long session', () => {
    const transcript = generateTranscript({ workload: 'research', turns: 60, seed: 3 });
    for (const policy of POLICIES) {
      const resume = vi.spyOn(Checkpoint.prototype, 'resume');
      expectSame(rising({ policy }, everyFifth), transcript);
      expect([policy, resume.mock.calls.length > 0]).toEqual([policy, true]);
      resume.mockRestore();
    }
  }, 240_000);

  it('fork where a threshold is only reported, on a model that its client does not compact on', () => {
    const policy = 'claude-code/2.1.325';
    const transcript = generateTranscript({
      workload: 'research',
      turns: 60,
      seed: 3,
      model: 'claude-sonnet-4-5',
    });
    const resume = vi.spyOn(Checkpoint.prototype, 'resume');
    expectSame(rising({ policy }, everyThird), transcript);
    expect(resume.mock.calls.length).toBeGreaterThan(0);
  });

  it.each(['/repo/src', '/repo/src/CLAUDE.md'])(
    'report once what may not be read for memories, before and after the fork point: %s',
    (path) => {
      const policy = 'claude-code/2.0';
      const memory = {
        'nestedMemory.files': { '/repo/src/CLAUDE.md': 300, '/repo/CLAUDE.md': 200 },
        'nestedMemory.denied': [path],
      };
      const transcript = generateTranscript({ workload: 'research', turns: 60, seed: 3 });
      const plans = everyThird.map((share) =>
        planOf({ policy, set: { ...memory, ...limitAt(policy, share)! } }),
      );
      const denied = runLog(plans[0]!, transcript).filter(
        (entry) =>
          entry.type === 'layer' && entry.layer === 'nested-memory' && Number(entry.details.denied) > 0,
      );
      expect(denied.length).toBeGreaterThan(0);
      expectSame(plans, transcript);
    },
  );

  it('run the turns before the fork point once', () => {
    const transcript = generateTranscript({ workload: 'refactor', turns: 80, seed: 2 });
    const plans = rising({ policy: 'claude-code/2.1.112' }, tenths);
    const resume = vi.spyOn(Checkpoint.prototype, 'resume');
    for (const plan of plans) sweep(plan, transcript, createMetricsFold());
    // Ways that differ, less the first plan, whose run is not kept, and the second, which has nothing to branch off from.
    const ways = new Set(plans.map((plan) => JSON.stringify(foldLog(runLog(plan, transcript)).layers)));
    expect(resume.mock.calls.length).toBeGreaterThanOrEqual(ways.size - 3);
  });

  it('that were stopped leave nothing half done to the next', () => {
    const transcript = generateTranscript({ workload: 'refactor', turns: 150, seed: 2 });
    const plans = rising({ policy: 'claude-code/2.1.112' }, everyThird);
    const resume = vi.spyOn(Checkpoint.prototype, 'resume');
    let stopped = 0;
    for (const [i, plan] of plans.entries()) {
      if (i % 3 === 2) {
        const before = resume.mock.calls.length;
        const parts = sweepReplayParts(plan, transcript, createMetricsFold());
        if (parts.next().done !== true) {
          parts.return();
          stopped += resume.mock.calls.length - before;
        }
      }
      const fold = createMetricsFold();
      sweep(plan, transcript, fold);
      expect(fold.finish()).toEqual(foldLog(runLog(plan, transcript)));
    }
    expect(stopped).toBeGreaterThan(0);
  });
});

describe('a run can be paused', () => {
  const transcript = generateTranscript({ workload: 'refactor', turns: 10, seed: 1 });
  const zed = { policy: 'peers/zed' };

  it('where one thread meets nothing that is drawn from a row of its own', () => {
    expect(canCheckpoint(planOf(zed), transcript)).toBe(true);
    expect(canCheckpoint(planOf({ ...zed, faults: [{ nth: 3 }] }), transcript)).toBe(false);
    const forked = generateTranscript({
      workload: 'refactor',
      turns: 10,
      seed: 1,
      subagents: { everyTurns: 4, turns: 3 },
    });
    expect(canCheckpoint(planOf(zed), forked)).toBe(false);
    const jitter = { ...zed, set: { 'rules.compact.when.0.tokens': '>= jitter(100000, 0.1)' } };
    expect(canCheckpoint(planOf(jitter), transcript)).toBe(false);
  });
});
