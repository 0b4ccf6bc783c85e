import { describe, expect, it } from 'vitest';
import { positionsWithin } from '../../../src/engine/requests/client-state.js';
import { numbered, prefixOf } from '../../helpers/cache-request.js';
import { Conversation } from '../../helpers/generators/conversation.js';
import { logFor, mainRequests, type PlanInit } from '../../helpers/plan.js';

describe('how much of a request others have left in the cache', () => {
  // Tools, system and four blocks of a thousand tokens each.
  const view = prefixOf(numbered(6), 1, 2);

  it('K11 is what fits into the tokens that were found, to the block', () => {
    expect([2_999, 3_000, 3_001, 5_999].map((tokens) => positionsWithin(view, tokens))).toEqual([2, 3, 3, 5]);
  });

  it('K11 is tools and system at least, and never more than all', () => {
    expect([0, 6_000, 90_000].map((tokens) => positionsWithin(view, tokens))).toEqual([2, 6, 6]);
  });
});

describe('a first request that others have warmed', () => {
  const usage = { input: 0, cacheRead: 15_000, cacheWrite5m: 0, cacheWrite1h: 9, output: 10 };
  const set = { 'client.use': 'none', 'client.firstRequest': 'recorded' };
  const readsOf = (init: PlanInit, pauseSeconds = 10) => {
    const talk = new Conversation().human(2_000).answer(10, { usage }).wait(pauseSeconds).turn(20, 10);
    return mainRequests(logFor({ policy: 'unbounded', set, ...init }, talk)).map(({ read }) => read);
  };

  it('K11 reads what they left at once, and what it writes itself later', () => {
    expect(readsOf({})).toEqual([15_000, 17_000]);
    expect(readsOf({ cache: { mode: 'off' } })).toEqual([0, 0]);
  });

  it('K11 finds it as long-lived as its own calls write', () => {
    expect(readsOf({ cache: { ttl: '5m' } }, 400)).toEqual([15_000, 0]);
    expect(readsOf({ cache: { ttl: 'recorded' } }, 400)).toEqual([15_000, 17_000]);
  });
});
