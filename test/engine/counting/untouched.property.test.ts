import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RequestEntry } from '../../../src/core/run/log-entries.js';
import type { LogEntry } from '../../../src/core/run/run-log.js';
import { foldLog } from '../../../src/metrics/fold.js';
import { metricValues } from '../../../src/metrics/registry.js';
import { forAll } from '../../helpers/for-all.js';
import {
  anyPolicy,
  anyWindow,
  buildSession,
  faultRules,
  sessionSteps,
} from '../../helpers/generators/arbitrary-session.js';
import { Conversation } from '../../helpers/generators/conversation.js';
import { propertyRuns } from '../../helpers/generators/property-runs.js';
import { logFor, mainRequests, ofType } from '../../helpers/plan.js';

/** Sessions of each property. */
const RUNS = propertyRuns(50);
const TIMEOUT_MS = Math.max(300_000, RUNS * 500);

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
    forAll(
      { numRuns: RUNS },
      sessionSteps,
      anyPolicy,
      anyWindow,
      anyBilling,
      faultRules,
      (steps, policy, window, bill, faults) => {
        const set = policy === 'claude-code/2026' ? { 'microcompact.cached.billDeleted': bill } : {};
        const entries = logFor({ policy, window, faults, set }, buildSession(steps));
        let notCarried = 0;
        for (const [request, out] of outAt(entries)) {
          expect(request.uncompactedTokens).toBe(request.context - request.output + out);
          notCarried += request.uncompactedTokens! - request.prompt;
        }
        const facts = foldLog(entries);
        const last = outAt(entries).at(-1);
        expect(metricValues(facts).tokensNotCarried).toBe(notCarried);
        if (last !== undefined && last[0] === lastOf(entries))
          expect(metricValues(facts).tokensSaved).toBe(last[1]);
      },
    );
  });

  it('C10 is without the lines that stand at the end for calls taken out, and these are taken off what was saved', () => {
    // Twenty calls stay in 60,000 tokens (10 + 10): of 21 the ten oldest go, each of 20 + 1 tokens, for 40 tokens each.
    const calls = (count: number) => Array.from({ length: count }, () => ({ tool: 'Read', tokens: 1 }));
    const said = new Conversation().human(30);
    for (const count of [7, 7, 7]) said.tools(calls(count));
    const transcript = said.answer(10).transcript();
    const entries = logFor({ policy: 'peers/goose', window: 60_000 }, transcript);
    const [cleared] = ofType(entries, 'layer');
    expect(cleared!.saved).toBe(10 * 21 - 10 * 40);
    expect(cleared!.trueBefore - cleared!.trueAfter).toBe(cleared!.saved);
    const alone = mainRequests(logFor({ policy: 'unbounded' }, transcript));
    expect(mainRequests(entries).map(({ uncompactedTokens: untouched }) => untouched)).toEqual(
      alone.map(({ prompt }) => prompt),
    );
  });

  it('C10 is what a run without layers sends', { timeout: TIMEOUT_MS }, () => {
    forAll({ numRuns: RUNS }, sessionSteps, anyPolicy, anyWindow, (steps, policy, window) => {
      const transcript = buildSession(steps);
      const set = { 'client.thinking': 'keep-all' };
      const noIndex = policy === 'claude-code/2026' ? { 'autoMemory.enabled': false } : {};
      const entries = logFor({ policy, window, set: { ...set, ...noIndex } }, transcript);
      if (ofType(entries, 'lost').length > 0) return;
      const alone = mainRequests(logFor({ policy: 'unbounded', set }, transcript));
      expect(mainRequests(entries).map(({ uncompactedTokens: untouched }) => untouched)).toEqual(
        alone.map(({ prompt }) => prompt),
      );
    });
  });
});
