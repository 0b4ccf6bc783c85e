import { expect } from 'vitest';
import { canonicalJson } from '../../../src/core/base/digest.js';
import type { Transcript } from '../../../src/core/model/transcript.js';
import type { FaultKind, RunPlan } from '../../../src/core/run/run-plan.js';
import { runSent, sentFor } from '../capture.js';
import { logFor, ofType, planOf, runLog } from '../plan.js';
import { COMPACTION_ONLY } from './above-threshold.js';

/** INV-13: the same plan and session give the same log, byte for byte. */
export function checkRepeat(plan: RunPlan, makeTranscript: () => Transcript): void {
  const log = () => canonicalJson(runLog(plan, makeTranscript()));
  expect(log(), 'INV-13').toBe(log());
}

/** INV-8: an earlier threshold never makes the first compaction later. */
export function checkThresholds(
  transcript: Transcript,
  policy: string,
  percents: readonly [number, number],
): void {
  const first = (percent: number) => {
    const set = { ...COMPACTION_ONLY, 'window.percent': percent, 'blocking.enabled': false };
    const entries = logFor({ policy, set }, transcript);
    return ofType(entries, 'layer').find((entry) => entry.trigger === 'auto')?.turn ?? Infinity;
  };
  expect(first(Math.min(...percents)), 'INV-8').toBeLessThanOrEqual(first(Math.max(...percents)));
}

/** INV-8 FUL-7: a compaction that fails changes nothing in any later request. */
export function checkFailedCompaction(
  transcript: Transcript,
  init: { readonly policy: string; readonly window: number; readonly error: FaultKind },
): void {
  const { policy, window, error } = init;
  const set = {
    ...COMPACTION_ONLY,
    'blocking.enabled': false,
    'reactive.enabled': false,
    'thrash.maxRefills': null,
    'client.retries': 0,
  };
  const digests = (change: Readonly<Record<string, unknown>>) =>
    sentFor(
      runSent(
        planOf({ policy, window, set: { ...set, ...change }, faults: [{ call: 'compact', error }] }),
        transcript,
      ).sent,
      'main',
    ).map((request) => request.digest);
  expect(digests({}), 'INV-8').toEqual(digests({ 'compact.enabled': false }));
}
