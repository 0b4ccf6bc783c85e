import { describe, expect, it } from 'vitest';
import { compareVariants } from '../../src/study/comparison.js';
import { meansOf } from '../../src/study/completeness.js';

type Costs = readonly (number | null)[];

function variant(name: string, costs: Costs) {
  const finished = { finishedShare: 1, callsAnswered: 9, callsLost: 0 };
  return {
    name,
    byTranscript: new Map(costs.map((costUsd, i) => [`t${i}`, { ...finished, costUsd }] as const)),
  };
}

function compare(base: Costs, other: Costs) {
  const comparison = compareVariants(
    [variant('base', base), variant('other', other)],
    'base',
    ['costUsd'],
    1,
  );
  return { best: comparison.best.costUsd, ...comparison.variants[1]!.differences!.costUsd! };
}

describe('compareVariants', () => {
  it('calls a difference a win when its interval leaves out zero', () => {
    const found = compare([10, 12, 9, 11, 10], [8, 10, 7, 9, 8.5]);
    expect(found).toMatchObject({ verdict: 'better', pairs: 5, best: 'other' });
    expect(found.mean).toBeCloseTo(-1.9, 9);
    expect(found.relative).toBeCloseTo(-1.9 / 10.4, 9);
    expect(found.low).toBeGreaterThanOrEqual(-2);
    expect(found.high).toBeLessThanOrEqual(-1.5);
  });

  it('calls it noise when the interval holds zero, and marks no best', () => {
    expect(compare([10, 12, 9, 11], [4, 19, 2, 17])).toMatchObject({ verdict: 'within-noise', best: null });
  });

  it('has no interval for a single transcript', () => {
    expect(compare([10], [8])).toMatchObject({ verdict: 'one-pair', low: null, high: null, mean: -2 });
  });

  it('tells worse, the same and missing data apart', () => {
    expect(compare([1, 2, 3], [2, 3, 4]).verdict).toBe('worse');
    expect(compare([1, 2, 3], [1, 2, 3])).toMatchObject({ verdict: 'same', best: null });
    expect(compare([null, null], [1, 2])).toMatchObject({ verdict: 'no-data', mean: null });
  });

  it('pairs only transcripts that both have', () => {
    expect(compare([10, null, 20], [9, 5, 19])).toMatchObject({ pairs: 2, mean: -1 });
  });

  it('gives the same interval again, whatever the other variants are', () => {
    const [a, b, c] = [variant('a', [5, 6, 9]), variant('b', [4, 7, 8]), variant('c', [1, 1, 1])];
    const two = compareVariants([a, b], 'a', ['costUsd'], 7).variants[1];
    const three = compareVariants([c, a, b], 'a', ['costUsd'], 7).variants[2];
    expect(three).toEqual(two);
  });

  it('averages over the transcripts that have a value', () => {
    expect(meansOf([{ a: 1, b: null }, { a: 3 }])).toEqual({ a: 2, b: null });
  });
});
