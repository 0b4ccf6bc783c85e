import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMetricsFold } from '../../src/metrics/fold.js';
import { policyRegistry } from '../../src/policies/catalogue.js';
import { readTranscript } from '../../src/transcript/read-transcript.js';
import { generateTranscript } from '../../src/transcript/synthetic/generate-transcript.js';
import { WORKLOADS } from '../../src/transcript/synthetic/workloads.js';
import { type PlanInit, planOf, runLog } from '../helpers/plan.js';
import { propertyRuns } from '../helpers/property-runs.js';
import { sharedData } from '../helpers/shared.js';
import { expectSame, limitAt, sweep, watched } from './swept.js';

const SWEPT = policyRegistry
  .all()
  .map(({ name }) => name)
  .filter((name) => limitAt(name, 0.5) !== null);

const FAULTS: readonly NonNullable<PlanInit['faults']>[] = [
  [],
  [{ call: 'compact', error: 'overloaded', nth: 1 }],
  [{ call: 'main', error: 'overloaded', every: 7 }],
  [{ call: 'compact', error: 'prompt_too_long', probability: 0.5 }],
];

const RUNS = propertyRuns(30);

describe('runs that plans with other limits share', () => {
  it('are of nearly every policy that is shipped', () => {
    expect(SWEPT.length).toBeGreaterThan(policyRegistry.all().length * 0.8);
  });

  it(
    'give the log of the engine and its sums for every policy, workload and fault plan',
    () => {
      fc.assert(
        fc.property(
          fc.constantFrom(...SWEPT),
          fc.record({
            workload: fc.constantFrom(...WORKLOADS.names),
            turns: fc.integer({ min: 5, max: 90 }),
            seed: fc.nat(10_000),
            overrides: fc.record({ thinkingShare: fc.constantFrom(0, 0.4) }),
          }),
          fc.option(fc.record({ everyTurns: fc.integer({ min: 4, max: 9 }), turns: fc.constant(4) }), {
            nil: undefined,
          }),
          fc.array(fc.double({ min: 0.05, max: 1, noNaN: true }), { minLength: 3, maxLength: 5 }),
          fc.constantFrom(...FAULTS),
          fc.record({
            window: fc.constantFrom(60_000, 120_000, 200_000),
            timing: fc.constantFrom('recorded' as const, 'think-time' as const),
            estimatorFactor: fc.constantFrom(1, 1.3),
          }),
          (policy, spec, subagents, shares, faults, others) => {
            const near = shares.flatMap((share) => [share, share - 0.001, share - 0.004]);
            expectSame(
              near.map((share) => planOf({ policy, set: limitAt(policy, share)!, faults, ...others })),
              generateTranscript(subagents === undefined ? spec : { ...spec, subagents }),
            );
          },
        ),
        { numRuns: RUNS },
      );
    },
    Math.max(180_000, RUNS * 6_000),
  );

  it('are made once for all thresholds between which the same happens', () => {
    const generated = generateTranscript({ workload: 'refactor', turns: 60, seed: 1 });
    const { transcript, runs } = watched(generated);
    const ways = new Set<string>();
    for (let percent = 1; percent <= 100; percent += 0.5) {
      const plan = planOf({ policy: 'claude-code/2.1.112', set: { 'window.percent': percent } });
      const happened = runLog(plan, generated).flatMap((entry) =>
        't' in entry && entry.type !== 'status'
          ? `${entry.type} ${entry.t} ${entry.type === 'request' ? entry.prompt : ''}`
          : [],
      );
      ways.add(happened.join());
      sweep(plan, transcript, createMetricsFold());
    }
    expect(ways.size).toBeGreaterThan(5);
    // The first plan of a shape is not kept, in case it is the only one.
    expect(runs()).toBeGreaterThanOrEqual(ways.size);
    expect(runs()).toBeLessThanOrEqual(1.1 * ways.size + 1);
  });
});

describe.skipIf(!sharedData.present)('over the shared recordings', () => {
  it.each(sharedData.sessions)(
    '%s',
    (id, file) => {
      const { transcript } = readTranscript(readFileSync(file), { id, agents: [] });
      for (const policy of ['claude-code/2.1.112', 'claude-code/2026', 'peers/codex-local', 'peers/cline']) {
        const shares = [0.3, 0.302, 0.5, 0.501, 0.502, 0.75, 0.751, 0.9];
        expectSame(
          shares.map((share) => planOf({ policy, set: limitAt(policy, share)!, cache: { ttl: 'recorded' } })),
          transcript,
        );
      }
    },
    120_000,
  );
});
