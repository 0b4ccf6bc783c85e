import { describe, expect, it } from 'vitest';
import type { DeletedContent } from '../../../src/core/model/prefix.js';
import type { CacheOutcome } from '../../../src/provider/cache/prompt-cache.js';
import { usageOf } from '../../../src/provider/fake-llm/fake-llm.js';

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

/** Ten positions of 200 tokens; the entry that was found ends with the fifth. */
const VIEW = { length: 10, sums: Array.from({ length: 10 }, (_, i) => (i + 1) * 200) };

/** 100 tokens at each of some positions. */
function at(...positions: readonly number[]): DeletedContent {
  return {
    tokens: positions.length * 100,
    upTo: (position) => positions.filter((place) => place <= position).length * 100,
  };
}

const billed = (outcome: CacheOutcome, deleted: DeletedContent | null) => usageOf(outcome, 7, deleted, VIEW);

describe('what is billed', () => {
  it('C7 reads drop by exactly the deleted tokens', () => {
    expect(billed(OUTCOME, at(2, 4))).toEqual({
      input: 50,
      cacheRead: 800,
      cacheWrite5m: 200,
      cacheWrite1h: 300,
      output: 7,
    });
  });

  it('C7 deleted content that was not found in the cache is not written again', () => {
    expect(billed(OUTCOME, at(2, 5))).toMatchObject({ cacheRead: 900, cacheWrite1h: 200 });
    expect(billed(OUTCOME, at(5, 6, 7, 8))).toMatchObject({ cacheWrite1h: 0, cacheWrite5m: 100 });
    const few = { ...OUTCOME, write5mTokens: 150, inputTokens: 100 };
    expect(billed(few, at(5, 6, 7, 8, 9))).toMatchObject({ cacheWrite1h: 0, cacheWrite5m: 0, input: 50 });
    const plain = { ...OUTCOME, readTokens: 0, write5mTokens: 0, write1hTokens: 0, hitPosition: -1 };
    expect(billed({ ...plain, inputTokens: 1_550 }, at(2))).toMatchObject({ input: 1_450, cacheRead: 0 });
  });

  it('C7 a read that ends before its entry does drops by the deleted tokens up to there', () => {
    // Of 1,000 tokens that are stored 600 are read, all of three positions; what is deleted behind them is no input.
    const short = { ...OUTCOME, readTokens: 600, write5mTokens: 0, write1hTokens: 0, inputTokens: 950 };
    expect(billed(short, at(2, 4))).toMatchObject({ cacheRead: 500, input: 850 });
    expect(billed(short, at(3, 4))).toMatchObject({ cacheRead: 600, input: 750 });
    // Inside of a position, 60 or 150 of its 200 tokens: the deleted ones come first.
    const inside = (tokens: number) => ({ ...short, readTokens: 600 + tokens, inputTokens: 950 - tokens });
    expect(billed(inside(60), at(2, 3, 4))).toMatchObject({ cacheRead: 500, input: 750 });
    expect(billed(inside(150), at(2, 3, 4))).toMatchObject({ cacheRead: 550, input: 700 });
    const second = { ...short, readTokens: 260, inputTokens: 1_290 };
    expect(billed(second, at(0, 1))).toMatchObject({ cacheRead: 100, input: 1_250 });
    // Less than the first position.
    const few = { ...short, readTokens: 80, inputTokens: 1_470 };
    expect(billed(few, at(0, 4))).toMatchObject({ cacheRead: 0, input: 1_350 });
  });

  it('C7 a read that a recording shows, though no entry is known, drops by the deleted tokens in it', () => {
    expect(billed({ ...OUTCOME, hitPosition: -1 }, at(2, 4, 6))).toMatchObject({
      cacheRead: 800,
      cacheWrite1h: 200,
      cacheWrite5m: 200,
      input: 50,
    });
  });

  it('nothing deleted, everything billed', () => {
    const whole = { input: 50, cacheRead: 1_000, cacheWrite5m: 200, cacheWrite1h: 300, output: 7 };
    expect(billed(OUTCOME, null)).toEqual(whole);
    expect(billed(OUTCOME, at())).toEqual(whole);
  });
});
