import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect } from 'vitest';
import { policyRegistry } from '../../../src/agent/policies/catalogue.js';
import type { Transcript } from '../../../src/core/model/transcript.js';
import type { LogEntry, LogSink } from '../../../src/core/run/run-log.js';
import type { RunPlan } from '../../../src/core/run/run-plan.js';
import { sweepReplayParts } from '../../../src/engine/columnar/sweep-replay.js';
import { createMetricsFold, foldLog } from '../../../src/metrics/fold.js';
import { readTranscript } from '../../../src/transcripts/read-transcript.js';
import { generateTranscript, WORKLOADS } from '../../../src/transcripts/synthetic/generate-transcript.js';
import { forAll } from '../../helpers/for-all.js';
import { logFor, type PlanInit, planOf, runLog } from '../../helpers/plan.js';

/** Replays a plan as a sweep does. */
export function sweep(plan: RunPlan, transcript: Transcript, sink: LogSink): void {
  const parts = sweepReplayParts(plan, transcript, sink);
  while (parts.next().done !== true);
}

const lines = (entries: readonly LogEntry[]): string =>
  entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');

/** A transcript that counts how often the engine replays it. */
export function watched(transcript: Transcript): { readonly transcript: Transcript; runs(): number } {
  let reads = 0;
  // Every run asks for the name of its transcript equally often, whatever its policy.
  const watching = Object.defineProperty({ ...transcript }, 'id', {
    enumerable: true,
    get() {
      reads++;
      return transcript.id;
    },
  });
  logFor({ policy: 'none' }, watching);
  const perRun = reads;
  reads = 0;
  return { transcript: watching, runs: () => reads / perRun };
}

/** Sweeps plans twice, as logs and as sums, and holds each against the engine; returns the logs. */
export function expectSame(
  plans: readonly RunPlan[],
  transcript: Transcript,
): readonly (readonly LogEntry[])[] {
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
export function limitAt(policy: string, share: number): Readonly<Record<string, unknown>> | null {
  const { layers, written } = policyRegistry.get(policy);
  if (layers.includes('auto-compact'))
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

const named = (isOfLayers: boolean): readonly string[] =>
  policyRegistry
    .all()
    .filter(
      ({ name, layers }) => layers.includes('auto-compact') === isOfLayers && limitAt(name, 0.5) !== null,
    )
    .map(({ name }) => name);

/** Shipped policies that have a limit to sweep. */
export const SWEPT = { layers: named(true), rules: named(false) };

const FAULTS: readonly NonNullable<PlanInit['faults']>[] = [
  [],
  [{ call: 'compact', error: 'overloaded', nth: 1 }],
  [{ call: 'main', error: 'overloaded', every: 7 }],
  [{ call: 'compact', error: 'prompt_too_long', probability: 0.5 }],
];

/** Sweeps generated sessions under some policies and holds them against the engine. */
export function expectSameOverWorkloads(policies: readonly string[], numRuns: number): void {
  forAll(
    { numRuns },
    fc.constantFrom(...policies),
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
  );
}

/** Limits that recorded sessions are swept over: some so near that nothing lies between them. */
const SHARES = [0.3, 0.302, 0.5, 0.501, 0.9];

/** Sweeps a recorded session under some policies and holds it against the engine. */
export function expectSameOverRecording(id: string, file: string, policies: readonly string[]): void {
  const { transcript } = readTranscript(readFileSync(file), { id, agents: [] });
  for (const policy of policies)
    expectSame(
      SHARES.map((share) => planOf({ policy, set: limitAt(policy, share)!, cache: { ttl: 'recorded' } })),
      transcript,
    );
}
