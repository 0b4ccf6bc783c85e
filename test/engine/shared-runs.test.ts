import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OpenShape } from '../../src/engine/columnar/open-shape.js';
import { sweepReplayParts } from '../../src/engine/columnar/sweep-replay.js';
import { createMetricsFold, foldLog } from '../../src/metrics/fold.js';
import type { LogEntry, LogSink } from '../../src/model/run-log.js';
import type { RunPlan } from '../../src/model/run-plan.js';
import type { Transcript } from '../../src/model/transcript.js';
import { policyRegistry } from '../../src/policies/catalogue.js';
import { readTranscript } from '../../src/transcript/read-transcript.js';
import { generateTranscript } from '../../src/transcript/synthetic/generate-transcript.js';
import { WORKLOADS } from '../../src/transcript/synthetic/workloads.js';
import { ofType, type PlanInit, planOf, runLog } from '../helpers/plan.js';
import { propertyRuns } from '../helpers/property-runs.js';
import { sharedData } from '../helpers/shared.js';

function sweep(plan: RunPlan, transcript: Transcript, sink: LogSink): void {
  const parts = sweepReplayParts(plan, transcript, sink);
  while (parts.next().done !== true);
}

const lines = (entries: readonly LogEntry[]): string =>
  entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');

/** A transcript that counts how often the engine takes its threads up. */
function watched(transcript: Transcript): { readonly transcript: Transcript; runs(): number } {
  let reads = 0;
  const [main, ...others] = transcript.threads;
  const { steps } = main!;
  const counting = Object.defineProperty({ ...main! }, 'steps', {
    enumerable: true,
    get() {
      reads++;
      return steps;
    },
  });
  const threads = [counting, ...others];
  const before = { ...transcript, threads };
  runLog(planOf({ policy: 'none' }), before);
  const perRun = reads;
  reads = 0;
  return { transcript: before, runs: () => reads / perRun };
}

/** Sweeps plans twice, as logs and as sums, and holds each against the engine; returns the logs. */
function expectSame(plans: readonly RunPlan[], transcript: Transcript): readonly (readonly LogEntry[])[] {
  const summed = { ...transcript };
  const told = { ...transcript };
  return plans.map((plan) => {
    const expected = runLog(plan, transcript);
    const entries: LogEntry[] = [];
    sweep(plan, told, { write: (entry) => entries.push(entry) });
    expect(lines(entries)).toBe(lines(expected));
    const fold = createMetricsFold();
    sweep(plan, summed, fold);
    expect(fold.finish()).toEqual(foldLog(expected));
    return expected;
  });
}

/** A change of a policy that is nothing but another limit; null when it has none. */
function limitAt(policy: string, share: number): Readonly<Record<string, unknown>> | null {
  const { tiers, written } = policyRegistry.get(policy);
  if (tiers.includes('auto-compact'))
    return { 'window.percent': Math.max(1, Math.round(share * 1_000) / 10) };
  const rules = (written as { readonly rules?: readonly Record<string, unknown>[] } | undefined)?.rules ?? [];
  for (const rule of rules) {
    const groups = [rule.when].flat() as Record<string, unknown>[];
    for (const [g, group] of groups.entries()) {
      const at = `rules.${String(rule.name)}.when${groups.length === 1 ? '' : `.${g}`}`;
      if (typeof group?.tokens === 'string')
        return { [`${at}.tokens`]: `${group.tokens.slice(0, 2)} ${Math.round(share * 190_000)}` };
      if (typeof group?.toolResults === 'string')
        return { [`${at}.toolResults`]: `>= ${5 + Math.round(share * 40)}` };
      if (typeof group?.turns === 'string') return { [`${at}.turns`]: `>= ${12 + Math.round(share * 40)}` };
    }
  }
  return null;
}

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
      ways.add(
        ofType(runLog(plan, generated), 'request')
          .map(({ t, prompt }) => `${t} ${prompt}`)
          .join(),
      );
      sweep(plan, transcript, createMetricsFold());
    }
    expect(ways.size).toBeGreaterThan(5);
    // The first plan of a shape is not kept, in case it is the only one.
    expect(runs()).toBeGreaterThanOrEqual(ways.size);
    expect(runs()).toBeLessThanOrEqual(ways.size + 1 + ways.size / 4);
  });
});

describe('plans have one shape', () => {
  const shapeOf = (init: PlanInit): OpenShape => new OpenShape(planOf(init));

  it('when they differ in their name and their limits alone', () => {
    const shape = shapeOf({ policy: 'claude-code/2026' });
    const set = { 'window.percent': 40, 'window.compactOffset': 20_000 };
    expect(shape.fits(planOf({ policy: 'claude-code/2026', name: 'another', set }))).toBe(true);
    expect(
      shapeOf({ policy: 'peers/codex-local' }).fits(
        planOf({ policy: 'peers/codex-local', set: { 'rules.compact.when.0.tokens': '>= 0.5·B' } }),
      ),
    ).toBe(true);
  });

  it('when what their thresholds are shares of is used for nothing else', () => {
    const times = { 'base.times': 0.5 };
    expect(
      shapeOf({ policy: 'peers/codex-local' }).fits(planOf({ policy: 'peers/codex-local', set: times })),
    ).toBe(true);
    expect(shapeOf({ policy: 'peers/cline' }).fits(planOf({ policy: 'peers/cline', set: times }))).toBe(
      false,
    );
  });

  it.each([
    ['another seed', { seed: 2 }],
    ['another model', { model: 'claude-opus-4-5' }],
    ['another window', { window: 100_000 }],
    ['another cache', { cache: { ttl: '1h' as const } }],
    ['faults', { faults: [{}] }],
    ['another parameter', { set: { 'window.blockingOffset': 9_000 } }],
    ['another policy', { policy: 'claude-code/2.1.325' }],
    ['a plug-in', { plugins: [{ name: 'p', sha256: null }] }],
  ])('but not with %s', (_what, init: PlanInit) => {
    const policy = 'claude-code/2.1.112';
    expect(shapeOf({ policy }).fits(planOf({ policy }))).toBe(true);
    expect(shapeOf({ policy }).fits(planOf({ policy, ...init }))).toBe(false);
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
