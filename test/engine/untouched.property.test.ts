import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldLog } from '../../src/metrics/fold.js';
import { metricValues } from '../../src/metrics/registry.js';
import type { LogEntry, RequestEntry } from '../../src/model/run-log.js';
import {
  anyPolicy,
  anyWindow,
  buildSession,
  faultRules,
  sessionSteps,
} from '../helpers/arbitrary-session.js';
import { mainRequests, ofType, planOf, runLog } from '../helpers/plan.js';
import { propertyRuns } from '../helpers/property-runs.js';

/** Sessions of each property. */
const RUNS = propertyRuns(1_000) / 10;
const TIMEOUT_MS = Math.max(60_000, RUNS * 500);

/** For each request of the main loop, what the entries before it say is out of the context. */
function outAt(entries: readonly LogEntry[]): (readonly [RequestEntry, number])[] {
  let out = 0;
  return entries.flatMap((entry): (readonly [RequestEntry, number])[] => {
    if (entry.type === 'layer') out += entry.saved;
    if (entry.type === 'returned') out -= entry.tokens;
    return entry.type === 'request' && entry.purpose === 'main' ? [[entry, out]] : [];
  });
}

/** The latest entry that tells of the context. */
function lastOf(entries: readonly LogEntry[]): LogEntry | undefined {
  return entries.findLast(({ type }) => type === 'request' || type === 'layer' || type === 'returned');
}

const anyBilling = fc.constantFrom('free', 'read');

describe('the context that no layer has touched', () => {
  it('C9 is the real one and what layers keep out of it, whatever comes back and goes again', {
    timeout: TIMEOUT_MS,
  }, () => {
    fc.assert(
      fc.property(
        sessionSteps,
        anyPolicy,
        anyWindow,
        anyBilling,
        faultRules,
        (steps, policy, window, bill, faults) => {
          const set = policy === 'claude-code/2026' ? { 'microcompact.cached.billDeleted': bill } : {};
          const entries = runLog(planOf({ policy, window, faults, set }), buildSession(steps));
          let notCarried = 0;
          for (const [request, out] of outAt(entries)) {
            expect(request.untouched).toBe(request.context - request.output + out);
            notCarried += request.untouched! - request.prompt;
          }
          const facts = foldLog(entries);
          const last = outAt(entries).at(-1);
          expect(metricValues(facts).tokensNotCarried).toBe(notCarried);
          if (last !== undefined && last[0] === lastOf(entries))
            expect(metricValues(facts).tokensSaved).toBe(last[1]);
        },
      ),
      { numRuns: RUNS },
    );
  });

  it('C10 is what a run without layers sends', { timeout: TIMEOUT_MS }, () => {
    fc.assert(
      fc.property(sessionSteps, anyPolicy, anyWindow, (steps, policy, window) => {
        const transcript = buildSession(steps);
        const set = { 'client.thinking': 'keep-all' };
        const noIndex = policy === 'claude-code/2026' ? { 'autoMemory.enabled': false } : {};
        const entries = runLog(planOf({ policy, window, set: { ...set, ...noIndex } }), transcript);
        if (ofType(entries, 'lost').length > 0) return;
        const alone = mainRequests(runLog(planOf({ policy: 'unbounded', set }), transcript));
        expect(mainRequests(entries).map(({ untouched }) => untouched)).toEqual(
          alone.map(({ prompt }) => prompt),
        );
      }),
      { numRuns: RUNS },
    );
  });

  it('C10 is less by the lines that stand for calls which were taken out', () => {
    const reads = (...tokens: readonly number[]) => ({
      do: 'tools' as const,
      results: tokens.map((size) => ({ tool: 'Read', tokens: size, file: 0 })),
      thinking: 0,
    });
    const small = reads(1, 1, 1);
    const steps = [
      small,
      small,
      small,
      reads(1, 3_000, 1),
      small,
      reads(3_000, 3_000, 1),
      reads(1),
      reads(1, 1),
    ];
    const entries = runLog(planOf({ policy: 'peers/goose', window: 60_000 }), buildSession(steps));
    const [cleared] = ofType(entries, 'layer');
    // Ten calls of 20 tokens with results of one are out; ten lines of 40 stand for them.
    expect(cleared!.saved).toBe(10 * 21 - 10 * 40);
    expect(cleared!.saved).toBe(cleared!.trueBefore - cleared!.trueAfter);
    const last = mainRequests(entries).at(-1)!;
    expect(last.untouched).toBe(last.prompt + cleared!.saved);
  });
});
