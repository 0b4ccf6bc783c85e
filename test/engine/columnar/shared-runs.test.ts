import { describe, expect, it, vi } from 'vitest';
import { policyRegistry } from '../../../src/agent/policies/catalogue.js';
import { Checkpoint } from '../../../src/engine/run/checkpoint.js';
import { createMetricsFold } from '../../../src/metrics/fold.js';
import { generateTranscript } from '../../../src/transcripts/synthetic/generate-transcript.js';
import { propertyRuns } from '../../helpers/generators/property-runs.js';
import { planOf, runLog } from '../../helpers/plan.js';
import { expectSameOverWorkloads, SWEPT, sweep } from './swept.js';

/** Most of the shipped policies are policy files. */
const RUNS = { layers: propertyRuns(6), rules: propertyRuns(12) };

describe('runs that plans with other limits share', () => {
  it('are of nearly every policy that is shipped', () => {
    expect(SWEPT.layers.length + SWEPT.rules.length).toBeGreaterThan(policyRegistry.all().length * 0.8);
  });

  it.each(['layers', 'rules'] as const)(
    'give the log of the engine and its sums for every policy of %s, workload and fault plan',
    (kind) => expectSameOverWorkloads(SWEPT[kind], RUNS[kind]),
    Math.max(180_000, RUNS.rules * 6_000),
  );

  it('are made once for all thresholds between which the same happens', () => {
    const generated = generateTranscript({ workload: 'refactor', turns: 60, seed: 1 });
    const transcript = { ...generated };
    const forks = vi.spyOn(Checkpoint.prototype, 'resume');
    const ways = new Set<string>();
    for (let percent = 1; percent <= 100; percent++) {
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
    // Two runs are whole: that of the first plan of a shape is not kept, in case it is the only one.
    const runs = forks.mock.calls.length + 2;
    forks.mockRestore();
    expect(runs).toBeGreaterThanOrEqual(ways.size);
    expect(runs).toBeLessThanOrEqual(1.1 * ways.size + 1);
  });
});
