import { describe, expect, it } from 'vitest';
import { positionsWithin } from '../../src/engine/requests/warm-up.js';
import { numbered, prefixOf } from '../helpers/cache-request.js';

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
