import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { policyRegistry } from '../../../src/agent/policies/catalogue.js';
import type { FaultKind } from '../../../src/core/run/run-plan.js';
import { generateTranscript } from '../../../src/transcripts/synthetic/generate-transcript.js';
import { runSent, sentFor } from '../../helpers/capture.js';
import { COMPACTION_ONLY } from '../../helpers/drive/above-threshold.js';
import { INVARIANT_CHECKS } from '../../helpers/drive/check-invariants.js';
import { checkFailedCompaction, checkRepeat, checkThresholds } from '../../helpers/drive/check-pairs.js';
import { checkSummaries } from '../../helpers/drive/check-summaries.js';
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
import { logFor, planOf } from '../../helpers/plan.js';
import { Reached, statesOf } from '../../helpers/reached.js';

/** Sessions in all. */
const RUNS = propertyRuns(120);
/** A run takes a few milliseconds; on a busy machine many more. */
const TIMEOUT_MS = Math.max(300_000, RUNS * 100);
const share = (part: number) => ({ numRuns: Math.max(1, Math.round(RUNS * part)) });

const clocks = fc.record({
  ttl: fc.constantFrom('5m' as const, '1h' as const),
  timing: fc.constantFrom('recorded' as const, 'think-time' as const),
  estimatorFactor: fc.constantFrom(0.65, 1, 1, 1.55, 4),
  seed: fc.nat(1_000),
});

describe('over generated sessions, policies, clocks and faults', () => {
  it('INV-1 INV-2 INV-4 INV-5 INV-7 hold', { timeout: TIMEOUT_MS }, () => {
    forAll(
      share(0.5),
      sessionSteps,
      anyPolicy,
      anyWindow,
      clocks,
      faultRules,
      (steps, policy, window, clock, faults) => {
        const { ttl, ...rest } = clock;
        const transcript = buildSession(steps);
        const plan = planOf({
          policy,
          window,
          ...rest,
          faults,
          cache: { ttl },
          set: { 'client.retries': 1 },
        });
        const run = { plan, transcript, ...runSent(plan, transcript) };
        for (const id of ['INV-1', 'INV-2', 'INV-4', 'INV-5', 'INV-7']) INVARIANT_CHECKS[id]!(run);
      },
    );
  });

  it('INV-13 the same plan and session give the same log, byte for byte', { timeout: TIMEOUT_MS }, () => {
    forAll(
      share(0.1),
      sessionSteps,
      anyPolicy,
      anyWindow,
      clocks,
      faultRules,
      (steps, policy, window, clock, faults) => {
        const { ttl, ...rest } = clock;
        checkRepeat(planOf({ policy, window, ...rest, faults, cache: { ttl } }), () => buildSession(steps));
      },
    );
  });
});

describe('the generated sessions', () => {
  it('C40 reach failed compactions and tripped breakers', { timeout: TIMEOUT_MS }, () => {
    const reached = new Reached();
    const cases = fc.sample(fc.tuple(sessionSteps, anyPolicy, anyWindow, faultRules), {
      numRuns: 80,
      seed: 8,
    });
    for (const [steps, policy, window, faults] of cases)
      reached.add(statesOf(logFor({ policy, window, faults }, buildSession(steps))));
    expect(reached.share('compaction failed')).toBeGreaterThanOrEqual(0.2);
    expect(reached.share('breaker tripped')).toBeGreaterThanOrEqual(0.05);
    for (const state of [
      'resume',
      'blocked',
      'storage',
      'microcompact',
      'session-memory',
      'full-compact',
      'reactive',
    ])
      expect(reached.share(state), state).toBeGreaterThan(0);
  });
});

const withCompaction = fc.constantFrom(
  ...policyRegistry.names.filter((name) => policyRegistry.get(name).layers.includes('auto-compact')),
);

describe('thresholds and failures', () => {
  it('INV-8 an earlier threshold never makes the first compaction later', { timeout: TIMEOUT_MS }, () => {
    const percents = fc.tuple(fc.integer({ min: 5, max: 100 }), fc.integer({ min: 5, max: 100 }));
    forAll(share(0.15), sessionSteps, withCompaction, percents, (steps, policy, both) => {
      checkThresholds(buildSession(steps.filter((item) => item.do !== 'compact')), policy, both);
    });
  });

  it('INV-8 FUL-7 a compaction that fails changes nothing in any later request', {
    timeout: TIMEOUT_MS,
  }, () => {
    const failing = fc.constantFrom<FaultKind>(
      'prompt_too_long',
      'prompt_too_long_unparseable',
      'overloaded',
      'invalid_request',
      'error_as_summary',
      'tool_call',
      'aborted',
    );
    forAll(share(0.1), sessionSteps, withCompaction, anyWindow, failing, (steps, policy, window, error) => {
      checkFailedCompaction(buildSession(steps), { policy, window, error });
    });
  });
});

describe('forks', () => {
  it('INV-11 keeping notes beside the conversation changes no request of it', { timeout: TIMEOUT_MS }, () => {
    forAll(
      share(0.05),
      sessionSteps,
      fc.constantFrom('claude-code/2.1', 'claude-code/2026'),
      (steps, policy) => {
        const transcript = buildSession(steps.filter((item) => item.do !== 'compact'));
        const set = { 'sessionMemory.compaction.enabled': false, 'microcompact.timeBased.enabled': false };
        const digests = (isOn: boolean) =>
          sentFor(
            runSent(planOf({ policy, set: { ...set, 'sessionMemory.enabled': isOn } }), transcript).sent,
            'main',
          ).map((request) => request.digest);
        expect(digests(true)).toEqual(digests(false));
      },
    );
  });
});

describe('notes beside a compaction', () => {
  it('INV-11 leave what the summariser draws alone', () => {
    const transcript = generateTranscript({ workload: 'refactor', turns: 160, seed: 2 });
    const run = (isOn: boolean) =>
      runSent(
        planOf({
          policy: 'claude-code/2.1',
          set: { 'sessionMemory.compaction.enabled': false, 'sessionMemory.enabled': isOn },
        }),
        transcript,
      );
    const [on, off] = [run(true), run(false)];
    expect(sentFor(off.sent, 'compact').length).toBeGreaterThan(0);
    expect(sentFor(on.sent, 'session_memory').length).toBeGreaterThan(0);
    const digests = ({ sent }: typeof on) => sentFor(sent, 'main').map(({ digest }) => digest);
    expect(digests(on)).toEqual(digests(off));
  });
});

describe('summaries', () => {
  it('INV-14 every message of the user that leaves the context is in the summary that takes its place', {
    timeout: TIMEOUT_MS,
  }, () => {
    forAll(
      share(0.1),
      sessionSteps,
      withCompaction,
      anyWindow,
      fc.nat(100),
      (steps, policy, window, seed) => {
        const set = { 'sessionMemory.enabled': false, 'storage.enabled': false };
        const plan = planOf({ policy, window, seed, set });
        const transcript = buildSession(steps);
        checkSummaries({ plan, ...runSent(plan, transcript) });
      },
    );
  });

  it('INV-14 with a blocked request between two compactions each summary holds what left with it', () => {
    // 37,000 tokens are the threshold, 47,000 the limit: the pasted prompt is compacted in vain, blocked, then compacted.
    const transcript = new Conversation()
      .human(30, 'the first request')
      .tools([{ tool: 'Task', tokens: 10_000 }])
      .answer(10)
      .event((at) => ({ kind: 'manual-compact', at, compaction: { instructions: null, partial: null } }))
      .turn(40_000, 10)
      .human(30, 'the last request')
      .answer(10)
      .transcript();
    const set = { ...COMPACTION_ONLY, 'client.retries': 0 };
    const faults = [{ call: 'compact', error: 'invalid_request', from: 2, to: 3 }] as const;
    const plan = planOf({ policy: 'claude-code/2026', window: 70_000, set, faults });
    const run = runSent(plan, transcript);
    const told = run.entries.flatMap((entry) => {
      if (entry.type === 'request') return entry.purpose === 'main' ? ['answered'] : [];
      if (entry.type === 'layer') return [`${entry.trigger} ${entry.outcome}`];
      return entry.type === 'notice' ? [entry.what] : [];
    });
    expect(told).toEqual([
      'answered',
      'answered',
      'manual done',
      'auto failed',
      'blocked',
      'auto done',
      'answered',
    ]);
    checkSummaries({ plan, ...run });
  });
});
