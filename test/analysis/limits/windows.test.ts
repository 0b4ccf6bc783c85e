import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fullestOf, type Weighed, windowsOf } from '../../../src/analysis/limits/limit-requests.js';
import { forAll } from '../../helpers/for-all.js';

const at = (atMs: number, weighted: number): Weighed => ({ atMs, weighted });

describe('rolling windows', () => {
  it('end with a request, and leave out what is a whole length old', () => {
    const windows = windowsOf([at(0, 1), at(4, 2), at(5, 4), at(9, 8)], 5);
    expect(windows.map(({ endMs, weighted }) => [endMs, weighted])).toEqual([
      [0, 1],
      [4, 3],
      [5, 6],
      [9, 12],
    ]);
  });

  it('hold all requests of one moment', () => {
    expect(windowsOf([at(3, 1), at(3, 2)], 5)).toEqual([{ endMs: 3, first: 0, last: 1, weighted: 3 }]);
  });

  it('are each the sum of what is in them', () => {
    const items = fc.array(fc.tuple(fc.nat(200), fc.nat(1_000)), { minLength: 1, maxLength: 40 });
    forAll(items, fc.integer({ min: 1, max: 50 }), (drawn, length) => {
      const sorted = drawn.sort(([a], [b]) => a - b).map(([ms, weight]) => at(ms, weight));
      for (const { endMs, weighted } of windowsOf(sorted, length)) {
        const own = sorted.filter(({ atMs }) => atMs <= endMs && endMs - atMs < length);
        expect(weighted).toBe(own.reduce((sum, item) => sum + item.weighted, 0));
      }
    });
  });

  it('are ranked without a request in common', () => {
    const items = [at(0, 5), at(1, 5), at(20, 3), at(21, 1), at(40, 2)];
    const top = fullestOf(windowsOf(items, 5), 3);
    expect(top.map(({ endMs, weighted }) => [endMs, weighted])).toEqual([
      [1, 10],
      [21, 4],
      [40, 2],
    ]);
  });
});
