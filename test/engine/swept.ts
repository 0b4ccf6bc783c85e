import { expect } from 'vitest';
import { sweepReplayParts } from '../../src/engine/columnar/sweep-replay.js';
import { createMetricsFold, foldLog } from '../../src/metrics/fold.js';
import type { LogEntry, LogSink } from '../../src/model/run-log.js';
import type { RunPlan } from '../../src/model/run-plan.js';
import type { Transcript } from '../../src/model/transcript.js';
import { policyRegistry } from '../../src/policies/catalogue.js';
import { planOf, runLog } from '../helpers/plan.js';

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
  runLog(planOf({ policy: 'none' }), watching);
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
