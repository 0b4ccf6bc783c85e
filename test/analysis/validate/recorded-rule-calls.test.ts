import { describe, expect, it } from 'vitest';
import { ruleCosts } from '../../../src/analysis/lifetime/rule-costs.js';
import { recordedRuleCalls } from '../../../src/analysis/validate/recorded-rule-calls.js';
import { call, count, line, meta, read, result, say, turn } from '../../helpers/recordings/rollout.js';

/** Four calls a minute apart, with a compaction before the third. */
const transcript = read([
  meta(0),
  turn(0, 'gpt-5.4'),
  say(1, 'user', 'go'),
  call(2, 'a'),
  result(3, 'a'),
  count(3, 50_000, { input: 50_000, cached: 9_600 }),
  call(63, 'b'),
  result(64, 'b'),
  count(64, 110_000, { input: 60_000, cached: 49_920 }),
  line(100, 'compacted', { message: '', replacement_history: [] }),
  call(123, 'c'),
  result(124, 'c'),
  count(124, 130_000, { input: 20_000, cached: 9_600 }),
  call(183, 'd'),
  result(184, 'd'),
  count(184, 155_000, { input: 25_000, cached: 19_968 }),
]);

describe('calls of a recording at other lifetimes', () => {
  const calls = recordedRuleCalls(transcript, 'openai');

  it('stay as recorded at the beginning and behind a compaction, whatever the lifetime', () => {
    expect(calls.map(({ reuse }) => reuse === null)).toEqual([true, false, true, false]);
    expect(calls.map(({ usage }) => usage.cacheRead)).toEqual([9_600, 49_920, 9_600, 19_968]);
  });

  it('lose what the others read where entries live for a second, and nothing else', () => {
    const { lifetimes } = ruleCosts(calls, [1, null]);
    // Both fall back to the head of 9,600: 40,320 and 10,368 tokens at 2.50 in place of 0.25 dollars a million.
    expect(lifetimes[0]!.costUsd! - lifetimes[1]!.costUsd!).toBeCloseTo((40_320 + 10_368) * 2.25e-6, 9);
  });
});
