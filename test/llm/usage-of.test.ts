import { describe, expect, it } from 'vitest';
import type { CacheOutcome } from '../../src/cache/prompt-cache.js';
import { usageOf } from '../../src/llm/usage-of.js';
import type { DeletedContent } from '../../src/model/deleted-content.js';

const OUTCOME: CacheOutcome = {
  readTokens: 1_000,
  write5mTokens: 200,
  write1hTokens: 300,
  inputTokens: 50,
  hitPosition: 4,
  hitTtlMs: 300_000,
  promptTokens: 1_550,
  sawUnreadable: false,
};

/** 100 tokens at each of some positions. */
function at(...positions: readonly number[]): DeletedContent {
  return {
    tokens: positions.length * 100,
    upTo: (position) => positions.filter((place) => place <= position).length * 100,
  };
}

describe('what is billed', () => {
  it('C7 reads drop by exactly the deleted tokens', () => {
    expect(usageOf(OUTCOME, 7, at(2, 4))).toEqual({
      input: 50,
      cacheRead: 800,
      cacheWrite5m: 200,
      cacheWrite1h: 300,
      output: 7,
    });
  });

  it('C7 deleted content that was not found in the cache is not written again', () => {
    expect(usageOf(OUTCOME, 7, at(2, 5))).toMatchObject({ cacheRead: 900, cacheWrite1h: 200 });
    expect(usageOf(OUTCOME, 7, at(5, 6, 7, 8))).toMatchObject({ cacheWrite1h: 0, cacheWrite5m: 100 });
    const plain = { ...OUTCOME, readTokens: 0, write5mTokens: 0, write1hTokens: 0, hitPosition: -1 };
    expect(usageOf({ ...plain, inputTokens: 1_550 }, 7, at(2))).toMatchObject({ input: 1_450, cacheRead: 0 });
  });

  it('nothing deleted, everything billed', () => {
    const whole = { input: 50, cacheRead: 1_000, cacheWrite5m: 200, cacheWrite1h: 300, output: 7 };
    expect(usageOf(OUTCOME, 7, null)).toEqual(whole);
    expect(usageOf(OUTCOME, 7, at())).toEqual(whole);
  });
});
