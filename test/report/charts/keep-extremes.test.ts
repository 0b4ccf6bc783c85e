import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keepExtremes, MAX_POINTS } from '../../../src/report/charts/run-series.js';
import { forAll } from '../../helpers/for-all.js';

const same = (value: number): number => value;

describe('thinning points', () => {
  it('leaves few points alone', () => {
    expect(keepExtremes([3, 1, 2], same, 4)).toEqual([3, 1, 2]);
  });

  it('keeps the first, the last and the extremes of each stretch, in order', () => {
    expect(keepExtremes([5, 1, 9, 4, 4, 4, 0, 7, 5, 5], same, 6)).toEqual([5, 1, 9, 0, 7, 5]);
  });

  it('never keeps more than the limit, and never loses the smallest or the largest', () => {
    const rows = fc.array(fc.integer(), { minLength: 1, maxLength: 400 });
    forAll(rows, fc.integer({ min: 4, max: 60 }), (values, limit) => {
      const kept = keepExtremes(values, same, limit);
      expect(kept.length).toBeLessThanOrEqual(Math.max(limit, 4));
      expect(Math.max(...kept)).toBe(Math.max(...values));
      expect(Math.min(...kept)).toBe(Math.min(...values));
      expect([kept[0], kept.at(-1)]).toEqual([values[0], values.at(-1)]);
    });
  });

  it('draws no more than two thousand points unless told otherwise', () => {
    const kept = keepExtremes(
      Array.from({ length: 10_000 }, (_, i) => i % 97),
      same,
    );
    expect(kept.length).toBeLessThanOrEqual(MAX_POINTS);
    expect(MAX_POINTS).toBe(2_000);
  });
});
