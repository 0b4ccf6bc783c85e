import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../src/core/base/random.js';
import { FAULT_KINDS, type FaultKind, type FaultRule } from '../../../src/core/run/run-plan.js';
import {
  createFaultPlan,
  faultDelayMs,
  faultError,
  isTransient,
  parseFailure,
  retryDelayMs,
} from '../../../src/provider/fake-llm/faults.js';
import { forAll } from '../../helpers/for-all.js';
import { fault } from './build.js';

/** A throttle whose words would be an overflow under another status. */
const LONG_AND_THROTTLED = 'Rate limit: prompt is too long: 213462 tokens > 200000 a minute';

/** Numbers of the calls that are hit, out of the first `calls` of the purpose `compact`. */
function hits(rules: readonly FaultRule[], calls: number, seed = 1): number[] {
  const plan = createFaultPlan(rules, createRandom(seed));
  const found: number[] = [];
  for (let n = 1; n <= calls; n++) if (plan.next('compact', 0) !== null) found.push(n);
  return found;
}

describe('when a fault strikes', () => {
  it.each([
    ['without a condition, every call', {}, [1, 2, 3, 4, 5, 6]],
    ['nth: that call alone', { nth: 3 }, [3]],
    ['every: each multiple', { every: 2 }, [2, 4, 6]],
    ['from: that call and all later ones', { from: 5 }, [5, 6]],
    ['to: all calls up to that one', { to: 2 }, [1, 2]],
    ['from and to: the range, both ends included', { from: 2, to: 4 }, [2, 3, 4]],
    ['all conditions must hold', { every: 2, from: 3, to: 5 }, [4]],
    ['a chance of one always strikes', { probability: 1, from: 6 }, [6]],
    ['a chance of nothing never does', { probability: 0 }, []],
  ] as const)('%s', (_name, conditions, expected) => {
    expect(hits([fault('overloaded', conditions)], 6)).toEqual(expected);
  });

  it.each([
    ['14:00-20:00', null, [14, 15, 16, 17, 18, 19]],
    ['22:00-02:00', null, [0, 1, 22, 23]],
    // the session began at six: its hours 0 to 23 are 6 to 5
    ['14:00-16:00', Date.UTC(2026, 10, 17, 6), [8, 9]],
  ])('between %s: calls that begin in these hours (begun at %s)', (between, startedAtMs, expected) => {
    const plan = createFaultPlan([fault('overloaded', { between })], createRandom(1), startedAtMs);
    const hours = Array.from({ length: 24 }, (_, hour) => hour);
    expect(hours.filter((hour) => plan.next('compact', hour * 3_600_000) !== null)).toEqual(expected);
  });

  it('counts calls of each purpose from one', () => {
    const plan = createFaultPlan([fault('overloaded', { nth: 2 })], createRandom(1));
    expect(plan.next('compact', 0)).toBeNull();
    expect(plan.next('main', 0)).toBeNull();
    expect(plan.next('session_memory', 0)).toBeNull();
    expect(plan.next('compact', 0)?.error).toBe('overloaded');
    expect(plan.next('main', 0)).toBeNull();
  });

  it('the first rule that matches wins', () => {
    const plan = createFaultPlan(
      [fault('slow', { nth: 2 }), fault('aborted', { from: 1 }), fault('server_error')],
      createRandom(1),
    );
    expect([1, 2, 3].map(() => plan.next('compact', 0)?.error)).toEqual(['aborted', 'slow', 'aborted']);
  });

  it('strikes about as often as its probability says, the same calls for the same seed', () => {
    const rules = [fault('overloaded', { probability: 0.3 })];
    const once = hits(rules, 2_000, 7);
    expect(once.length).toBeGreaterThan(520);
    expect(once.length).toBeLessThan(680);
    expect(hits(rules, 2_000, 7)).toEqual(once);
    expect(hits(rules, 2_000, 8)).not.toEqual(once);
  });

  it('a rule before it or calls of other purposes do not shift what chance decides', () => {
    const chancy = fault('overloaded', { probability: 0.5 });
    const never = fault('slow', { probability: 0 });
    const narrowed = hits([{ ...chancy, from: 50 }], 200);
    expect(narrowed).toEqual(hits([chancy], 200).filter((n) => n >= 50));
    const shadowed = createFaultPlan([fault('aborted', { to: 10 }), chancy], createRandom(1));
    const free = createFaultPlan([never, chancy], createRandom(1));
    for (let n = 1; n <= 200; n++) {
      free.next('main', 0);
      const a = shadowed.next('compact', 0)?.error;
      const b = free.next('compact', 0)?.error;
      if (n > 10) expect(a).toBe(b);
    }
  });
});

describe('the words of a fault and what a client makes of them', () => {
  const understood: Readonly<Record<FaultKind, string | null>> = {
    prompt_too_long: 'prompt-too-long',
    prompt_too_long_unparseable: 'prompt-too-long',
    overloaded: 'overloaded',
    rate_limited: 'rate-limited',
    server_error: 'server-error',
    invalid_request: 'invalid-request',
    connection_cut: 'connection',
    aborted: 'aborted',
    empty_summary: null,
    error_as_summary: null,
    tool_call: null,
    no_summary_tags: null,
    slow: null,
    stray_write: null,
    cut_summary: null,
  };

  it.each(FAULT_KINDS)('FUL-7 %s', (kind) => {
    const error = faultError(fault(kind), 150_000, 200_000);
    expect(error === null ? null : parseFailure(error).reason).toBe(understood[kind]);
  });

  it('FUL-6 the gap that is told is the gap that is read', () => {
    forAll(fc.integer({ min: 1, max: 500_000 }), fc.integer({ min: 1, max: 400_000 }), (gap, prompt) => {
      for (const window of [200_000, null]) {
        const error = faultError(fault('prompt_too_long', { gapTokens: gap }), prompt, window)!;
        expect(parseFailure(error).gapTokens).toBe(gap);
      }
    });
  });

  it('tells of the real excess when the rule names no gap, and of one token when there is none', () => {
    const rule = fault('prompt_too_long');
    expect(faultError(rule, 213_462, 200_000)?.message).toBe(
      'prompt is too long: 213462 tokens > 200000 maximum',
    );
    expect(faultError(rule, 90_000, 200_000)?.message).toBe(
      'prompt is too long: 200001 tokens > 200000 maximum',
    );
  });

  it.each([
    [
      400,
      'invalid_request_error',
      'prompt is too long: 213462 tokens > 200000 maximum',
      'prompt-too-long',
      13_462,
    ],
    [413, 'invalid_request_error', 'Prompt is too long', 'prompt-too-long', null],
    [400, 'ValidationException', 'Input is too long for requested model.', 'prompt-too-long', null],
    [400, 'invalid_request_error', 'capability_rejected: prompt_too_long', 'prompt-too-long', null],
    [429, 'ThrottlingException', 'Too many tokens, please wait before trying again.', 'rate-limited', null],
    [429, 'rate_limit_error', LONG_AND_THROTTLED, 'rate-limited', null],
    [null, 'rate_limit_error', LONG_AND_THROTTLED, 'rate-limited', null],
    [529, 'overloaded_error', LONG_AND_THROTTLED, 'overloaded', null],
    [null, 'overloaded_error', LONG_AND_THROTTLED, 'overloaded', null],
    [
      400,
      'ThrottlingException',
      'Too many tokens, please wait before trying again.',
      'invalid-request',
      null,
    ],
    [529, 'overloaded_error', 'Overloaded', 'overloaded', null],
    [429, 'rate_limit_error', 'slow down', 'rate-limited', null],
    [500, 'api_error', 'Internal server error', 'server-error', null],
    [504, 'timeout_error', 'timed out', 'server-error', null],
    [null, 'overloaded_error', 'Overloaded', 'overloaded', null],
    [null, 'connection_error', 'Connection error.', 'connection', null],
    [0, 'aborted', 'Request was aborted.', 'aborted', null],
    [400, 'invalid_request_error', 'max_tokens: Field required', 'invalid-request', null],
    [413, 'request_too_large', 'Request exceeds the maximum size', 'invalid-request', null],
  ] as const)('%s %s "%s" is %s', (status, type, message, reason, gapTokens) => {
    expect(parseFailure({ status, type, message })).toEqual({
      reason,
      status: status === 0 ? null : status,
      message,
      gapTokens,
    });
  });

  it('only what may pass by itself is worth another try', () => {
    const reasons = FAULT_KINDS.map((kind) => faultError(fault(kind), 1, 2))
      .filter((error) => error !== null)
      .map(parseFailure)
      .filter(isTransient)
      .map(({ reason }) => reason);
    expect(reasons).toEqual(['overloaded', 'rate-limited', 'server-error', 'connection']);
  });

  it('a slow answer loses what its rule says', () => {
    expect(faultDelayMs(fault('slow', { delaySeconds: 12.5 }))).toBe(12_500);
    expect(faultDelayMs(fault('slow'))).toBeGreaterThan(0);
    expect(faultDelayMs(fault('overloaded'))).toBe(0);
  });
});

describe('delays between tries', () => {
  it('half a second doubled each time, at most 32 seconds, up to a quarter more', () => {
    const random = createRandom(3);
    for (let attempt = 0; attempt < 12; attempt++) {
      const base = Math.min(32_000, 500 * 2 ** attempt);
      for (let i = 0; i < 50; i++) {
        const delay = retryDelayMs(attempt, random, null);
        expect(delay).toBeGreaterThanOrEqual(base);
        expect(delay).toBeLessThanOrEqual(base * 1.25);
      }
    }
  });

  it('ten retries take the three minutes that were measured', () => {
    const random = createRandom(5);
    let total = 0;
    for (let attempt = 0; attempt < 10; attempt++) total += retryDelayMs(attempt, random, null);
    expect(total).toBeGreaterThan(159_500);
    expect(total).toBeLessThan(199_375);
  });

  it('a wait the API asks for is kept to the millisecond', () => {
    expect(retryDelayMs(0, createRandom(1), 7)).toBe(7_000);
    expect(retryDelayMs(9, createRandom(1), 0.25)).toBe(250);
  });
});
