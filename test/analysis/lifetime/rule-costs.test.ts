import { describe, expect, it } from 'vitest';
import {
  type LifetimeRequest,
  type LifetimeSession,
  lifetimeThread,
} from '../../../src/analysis/lifetime/lifetime-curve.js';
import {
  clearingBreakEven,
  RULE_SECONDS,
  type RuleCall,
  readable,
  ruleCosts,
  sessionRuleCalls,
} from '../../../src/analysis/lifetime/rule-costs.js';
import type { Usage } from '../../../src/core/model/usage.js';
import { NEWEST } from '../../../src/provider/prices/price.js';
import { cacheRulesOf } from '../../../src/provider/providers/providers.js';

const NOTHING: Usage = { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0 };

/** A call of claude-opus-4-6: 5 input, 25 output, 0.5 read, 6.25 and 10 written, in dollars per million. */
function callOf(usage: Partial<Usage>, change: Partial<RuleCall> = {}): RuleCall {
  return {
    model: 'claude-opus-4-6',
    pricedAtMs: NEWEST,
    usage: { ...NOTHING, ...usage },
    unread: 'cacheWrite5m',
    reuse: null,
    ...change,
  };
}

const reuse = { gapMs: 600_000, living: 80_000, gone: 20_000, alive: 0.25 };

/** Dollars at one lifetime. */
const costAt = (call: RuleCall, seconds: number | null): number =>
  ruleCosts([call], [seconds]).lifetimes[0]!.costUsd!;

describe('what calls cost at a lifetime', () => {
  const call = callOf({ cacheRead: 80_000, input: 10_000, output: 1_000 }, { reuse });

  it('is by what lives up to the gap, the gap included, and by what is left behind it', () => {
    // 80,000 · 0.5 + 10,000 · 5 + 1,000 · 25; then 20,000 · 0.5 + 60,000 · 6.25 in place of the reads.
    const living = (40_000 + 50_000 + 25_000) / 1e6;
    const gone = (10_000 + 375_000 + 50_000 + 25_000) / 1e6;
    expect(costAt(call, 600)).toBeCloseTo(living, 12);
    expect(costAt(call, null)).toBeCloseTo(living, 12);
    expect(costAt(call, 599)).toBeCloseTo(gone, 12);
  });

  it('is, where tokens that are not read are no write, by the price of input', () => {
    // 60,000 · 5 in place of 60,000 · 6.25.
    expect(costAt({ ...call, unread: 'input' }, 1)).toBeCloseTo(
      (10_000 + 300_000 + 50_000 + 25_000) / 1e6,
      12,
    );
  });

  it('is on average by the share of entries that live', () => {
    // A quarter of 80,000 and three quarters of 20,000 are 35,000 read, 45,000 are written again.
    expect(ruleCosts([call]).averageUsd).toBeCloseTo((17_500 + 281_250 + 50_000 + 25_000) / 1e6, 12);
  });

  it('takes what is read in addition from the writes, the short ones first, and then from the input', () => {
    const recorded = callOf(
      { cacheRead: 10_000, cacheWrite5m: 30_000, cacheWrite1h: 20_000, input: 40_000 },
      { reuse: { ...reuse, living: 70_000 } },
    );
    // 60,000 more: 30,000 and 20,000 that were written, and 10,000 of the input.
    expect(costAt(recorded, null)).toBeCloseTo((35_000 + 30_000 * 5) / 1e6, 12);
    // 35,000 more: all short writes and 5,000 of the long ones.
    const fewer = { ...recorded, reuse: { ...reuse, living: 45_000 } };
    expect(costAt(fewer, null)).toBeCloseTo((22_500 + 150_000 + 200_000) / 1e6, 12);
  });

  it('is as recorded where no lifetime decides', () => {
    const first = callOf({ cacheRead: 80_000, output: 1_000 });
    for (const seconds of [1, null]) expect(costAt(first, seconds)).toBeCloseTo(0.065, 12);
  });

  it('leaves calls of unknown models out, and is unknown where there are no others', () => {
    const stranger = callOf({ input: 1_000_000 }, { model: 'mystery-1' });
    const known = callOf({ input: 1_000 });
    expect(ruleCosts([stranger, known, known], [300])).toEqual({
      calls: 3,
      unpricedCalls: 1,
      averageUsd: 0.01,
      lifetimes: [{ ttlSeconds: 300, costUsd: 0.01 }],
    });
    expect(ruleCosts([stranger], [300])).toEqual({
      calls: 1,
      unpricedCalls: 1,
      averageUsd: null,
      lifetimes: [{ ttlSeconds: 300, costUsd: null }],
    });
  });

  it('is told for the lifetimes that providers have: five and thirty minutes, an hour, a day and without end', () => {
    expect(ruleCosts([call]).lifetimes.map(({ ttlSeconds }) => ttlSeconds)).toEqual(RULE_SECONDS);
    expect(RULE_SECONDS).toEqual([5 * 60, 30 * 60, 60 * 60, 24 * 60 * 60, null]);
  });
});

describe('what can be read by the rules of OpenAI', () => {
  it.each([
    [1_023, 0],
    [1_024, 1_024],
    [1_151, 1_024],
    [1_152, 1_152],
  ])('is of %i tokens %i', (tokens, read) => {
    expect(readable(cacheRulesOf('openai', 'gpt-5.4'), tokens)).toBe(read);
  });
});

describe('the calls of a session that tells no usage', () => {
  const request = (
    seconds: number,
    promptTokens: number,
    reusableTokens: number,
    model: string,
  ): LifetimeRequest => ({
    startMs: seconds * 1_000,
    promptTokens,
    reusableTokens,
    outputTokens: 100,
    model,
  });
  const session = (...requests: readonly LifetimeRequest[]): LifetimeSession => ({
    id: 's',
    threads: [lifetimeThread('main', requests)],
  });

  it('read on steps what the request before left, and bill the rest as input where writes are not told', () => {
    const calls = sessionRuleCalls(
      session(request(10, 5_000, 0, 'gpt-5.4'), request(970, 9_000, 5_000, 'gpt-5.4')),
      'openai',
      () => NEWEST,
    );
    expect(calls).toEqual([
      {
        model: 'gpt-5.4',
        pricedAtMs: NEWEST,
        usage: { ...NOTHING, input: 5_000, output: 100 },
        unread: 'input',
        reuse: null,
      },
      {
        model: 'gpt-5.4',
        pricedAtMs: NEWEST,
        // 39 steps of 128 tokens.
        usage: { ...NOTHING, cacheRead: 4_992, input: 4_008, output: 100 },
        unread: 'input',
        // Everything lives for a quarter of an hour and nothing after 17 minutes: at 16 a half.
        reuse: { gapMs: 960_000, living: 4_992, gone: 0, alive: 0.5 },
      },
    ]);
  });

  it('bill the rest as written where writes are told', () => {
    const [first, second] = sessionRuleCalls(
      session(request(0, 5_000, 0, 'claude-opus-4-6'), request(1, 6_000, 5_000, 'claude-opus-4-6')),
      'anthropic',
      () => NEWEST,
    );
    expect(first).toMatchObject({ unread: 'cacheWrite5m', usage: { cacheWrite5m: 5_000, input: 0 } });
    expect(second).toMatchObject({ usage: { cacheRead: 5_000, cacheWrite5m: 1_000, input: 0 } });
  });

  it('read nothing of another model, whatever the lifetime', () => {
    const calls = sessionRuleCalls(
      session(request(0, 5_000, 0, 'gpt-5.4'), request(1, 6_000, 5_000, 'gpt-5.2')),
      'openai',
      () => NEWEST,
    );
    expect(calls[1]).toMatchObject({ reuse: null, usage: { cacheRead: 0, input: 6_000 } });
  });
});

describe('when clearing has paid for itself', () => {
  it('is after this many requests as reading what is gone costs what writing the rest again does', () => {
    // 100,000 tokens are written for 3.75 in place of 0.30: $0.345. Each request reads 50,000 tokens less: $0.015.
    const prices = { cacheWrite5m: 3.75, cacheRead: 0.3 };
    expect(clearingBreakEven(prices, { rewritten: 100_000, freed: 50_000 })).toBeCloseTo(23, 10);
    expect(clearingBreakEven(prices, { rewritten: 0, freed: 50_000 })).toBe(0);
  });

  it('is never where nothing is freed or reads are free', () => {
    const prices = { cacheWrite5m: 3.75, cacheRead: 0.3 };
    expect(clearingBreakEven(prices, { rewritten: 100_000, freed: 0 })).toBeNull();
    expect(clearingBreakEven({ ...prices, cacheRead: 0 }, { rewritten: 100_000, freed: 50_000 })).toBeNull();
  });
});
