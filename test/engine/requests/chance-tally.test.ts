import { describe, expect, it } from 'vitest';
import type { HitChance } from '../../../src/core/run/provider.js';
import { positionsWithin } from '../../../src/engine/requests/client-state.js';
import { ChanceTally } from '../../../src/engine/requests/provider-doubts.js';
import { numbered, prefixOf } from '../../helpers/cache-request.js';

/** Even odds at any time, and nothing read of what comes up short. */
const EVEN: HitChance = { logOdds: 0, perLogSecond: 0, sessions: [1], partial: [0] };

/** A tally over requests of a session that lose 1,000 each where they come up short. */
function tallyOf(
  hit: HitChance,
  requests: number,
  sessions = 1,
): NonNullable<ReturnType<ChanceTally['finish']>> {
  const tally = new ChanceTally();
  for (let session = 0; session < sessions; session++)
    for (let i = 0; i < requests; i++)
      tally.add({ hit, gapMs: 10_000, session, fullTokens: 1 }, 1_000, i % 4 === 0 ? 1_000 : 0);
  return tally.finish()!;
}

const within = (value: number, expected: number, most: number): void =>
  expect(Math.abs(value - expected)).toBeLessThan(most);

describe('what chance adds to the cost of a run', () => {
  it('is nothing that could be told where it had no say', () => {
    expect(new ChanceTally().finish()).toBeNull();
  });

  it('is half of all at even odds, within 1.645 standard deviations for nine of ten draws', () => {
    const { lost, expected, low, high } = tallyOf(EVEN, 100);
    expect([lost, expected]).toEqual([25_000, 50_000]);
    // The variance of one is 1,000² · (1/2 − 1/4), so a hundred have a deviation of 5,000; quantiles of 2,000 draws are ± 250.
    within(low, 50_000 - 8_224, 900);
    within(high, 50_000 + 8_224, 900);
  });

  it('is less where a part is found all the same', () => {
    // Half of those that come up short lose everything, half of them half: 3/4 on average, with a mean square of 5/8.
    const { expected, low, high } = tallyOf({ ...EVEN, partial: [0, 0.5] }, 100);
    expect(expected).toBe(37_500);
    // 1,000² · (1/2 · 5/8 − (3/8)²) is 171,875: a deviation of 4,146.
    within(high - low, 2 * 1.645 * 4_146, 1_300);
  });

  it('is spread by the luck of the session', () => {
    // Odds of 1 and of 3: a half and three quarters.
    const one = tallyOf({ ...EVEN, sessions: [1, 3] }, 100);
    expect(one.expected).toBe(62_500);
    // Both kinds of session are among nine of ten draws.
    expect(one.low).toBeLessThan(50_000);
    expect(one.high).toBeGreaterThan(75_000);
    const many = tallyOf({ ...EVEN, sessions: [1, 3] }, 100, 16);
    expect(many.expected).toBe(16 * 62_500);
    // Sixteen sessions spread four times as far as one, not sixteen times: by 12,500 each, and 5,000 within.
    within(many.high - many.low, 2 * 1.645 * 4 * Math.hypot(12_500, 4_677), 12_000);
  });

  it('is never below nothing, and the same each time', () => {
    expect(tallyOf(EVEN, 1).low).toBe(0);
    expect(tallyOf(EVEN, 10)).toEqual(tallyOf(EVEN, 10));
  });
});

describe('positions that hold no more than this many tokens', () => {
  it.each([
    [0, 2],
    [2_999, 2],
    [3_000, 3],
    [4_500, 4],
    [99_000, 5],
  ])('%i tokens: %i, tools and system in any case', (tokens, positions) => {
    expect(positionsWithin(prefixOf(numbered(5), 1, 2), tokens)).toBe(positions);
  });
});
