import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blockIds, type DigestedPrompt } from '../../../src/analysis/export/sent-requests.js';
import { chainDigest } from '../../../src/core/base/digest.js';
import { forAll } from '../../helpers/for-all.js';

/** A prompt of positions: what each holds, and its tokens. */
function prompt(positions: readonly (readonly [content: number, tokens: number])[]): DigestedPrompt {
  const digests: number[] = [];
  const sums: number[] = [];
  for (const [content, tokens] of positions) {
    digests.push(chainDigest(digests.at(-1) ?? 1, chainDigest(content, tokens)));
    sums.push((sums.at(-1) ?? 0) + tokens);
  }
  return { length: positions.length, digests, sums };
}

const positions = fc.array(fc.tuple(fc.nat(1_000_000), fc.integer({ min: 0, max: 3_000 })), {
  maxLength: 12,
});

describe('block ids', () => {
  it('a prompt has one for every 512 tokens, and one for the rest', () => {
    expect(blockIds(prompt([]))).toHaveLength(0);
    expect(blockIds(prompt([[1, 512]]))).toHaveLength(1);
    expect(blockIds(prompt([[1, 513]]))).toHaveLength(2);
  });

  it('two prompts share exactly the whole blocks of what both begin with', () => {
    forAll(positions, positions, positions, (shared, a, b) => {
      const tokens = shared.reduce((sum, [, own]) => sum + own, 0);
      // what follows differs from its first position on, and is no empty one
      const [one, other] = [[[1, 700], ...a] as const, [[2, 900], ...b] as const].map((rest) =>
        blockIds(prompt([...shared, ...rest])),
      );
      const common = one!.findIndex((id, i) => id !== other![i]);
      expect(common).toBe(Math.floor(tokens / 512));
    });
  });

  it('a block that ends with a position does not depend on the next one', () => {
    const [one, other] = [2, 3].map((next) =>
      blockIds(
        prompt([
          [1, 512],
          [next, 10],
        ]),
      ),
    );
    expect([one![0] === other![0], one![1] === other![1]]).toEqual([true, false]);
  });

  it('ids are whole numbers that JSON keeps exactly', () => {
    forAll(positions, (all) => {
      for (const id of blockIds(prompt(all))) expect(Number.isSafeInteger(id) && id >= 0).toBe(true);
    });
  });
});
