import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DigestSet } from '../../../src/core/base/digest.js';
import { forAll } from '../../helpers/for-all.js';

describe('a set of digests', () => {
  it('holds what a set of numbers holds, also while it grows and where digests want the same slot', () => {
    const digest = fc.oneof(
      fc.integer({ min: 0, max: 40 }),
      fc.nat(Number.MAX_SAFE_INTEGER),
      fc.nat(3_000).map((i) => i * 2 ** 32),
    );
    forAll(
      { numRuns: 40 },
      fc.array(digest, { maxLength: 4_000 }),
      fc.array(digest, { maxLength: 50 }),
      (added, others) => {
        const set = new DigestSet();
        const model = new Set(added);
        for (const each of added) set.add(each);
        for (const each of [...added, ...others, 0]) expect(set.has(each)).toBe(model.has(each));
      },
    );
  });
});
