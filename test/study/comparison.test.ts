import { describe, expect, it } from 'vitest';
import { parseExpectation } from '../../src/metrics/expect.js';
import { compareVariants } from '../../src/study/comparison.js';
import { meansOf } from '../../src/study/completeness.js';

type Costs = readonly (number | null)[];

const FINISHED = { finishedShare: 1, callsAnswered: 9, callsLost: 0 };

function variant(name: string, costs: Costs) {
  return {
    name,
    byTranscript: new Map(costs.map((costUsd, i) => [`t${i}`, { ...FINISHED, costUsd }] as const)),
  };
}

function compare(base: Costs, other: Costs) {
  const comparison = compareVariants([variant('base', base), variant('other', other)], 'base', ['costUsd']);
  return { best: comparison.best.costUsd, ...comparison.variants[1]!.differences!.costUsd! };
}

describe('compareVariants', () => {
  it('calls a difference a win when its interval leaves out zero', () => {
    const found = compare([10, 12, 9, 11, 10], [8, 10, 7, 9, 8.5]);
    expect(found).toMatchObject({ verdict: 'better', pairs: 5, best: 'other' });
    expect(found.mean).toBeCloseTo(-1.9, 9);
    expect(found.relative).toBeCloseTo(-1.9 / 10.4, 9);
    // Four differences of −2 and one of −1.5: standard deviation √0.05, and 2.776445 standard errors with four degrees of freedom.
    const reach = 2.776445 * Math.sqrt(0.05 / 5);
    expect(found.low).toBeCloseTo(-1.9 - reach, 5);
    expect(found.high).toBeCloseTo(-1.9 + reach, 5);
  });

  it('calls it noise when the interval holds zero, and stars neither the variant nor the baseline', () => {
    const steady = [10, 12, 9, 11];
    const wild = [4, 18, 2, 17];
    expect(compare(steady, wild)).toMatchObject({ verdict: 'within-noise', mean: -0.25, best: null });
    expect(compare(wild, steady)).toMatchObject({ verdict: 'within-noise', mean: 0.25, best: null });
  });

  it('calls it noise when the interval ends at zero', () => {
    // With two pairs the interval reaches 12.7062… = tan(0.475 π) standard errors; the differences t ± 1 have one of size 1.
    const t = Math.tan(0.475 * Math.PI);
    expect(compare([0, 0], [t + 1, t - 1])).toMatchObject({ verdict: 'within-noise', low: 0 });
    expect(compare([0, 0], [-t - 1, 1 - t])).toMatchObject({ verdict: 'within-noise', high: 0 });
    expect(compare([0, 0], [t + 1.01, t - 0.99]).verdict).toBe('worse');
    expect(compare([0, 0], [-t - 1.01, 0.99 - t]).verdict).toBe('better');
  });

  it('says that it differs where neither direction is better, and stars none', () => {
    const rows = (turns: readonly number[]) =>
      new Map(turns.map((value, i) => [`t${i}`, { ...FINISHED, turns: value }] as const));
    const variants = [
      { name: 'base', byTranscript: rows([5, 6, 7]) },
      { name: 'other', byTranscript: rows([8, 9, 10.1]) },
    ];
    const { best, variants: compared } = compareVariants(variants, 'base', ['turns']);
    expect(compared[1]!.differences!.turns).toMatchObject({ verdict: 'differs', pairs: 3 });
    expect(best.turns).toBeNull();
  });

  it('stars the better of two that differ, whichever is the baseline and whichever way is better', () => {
    const star = (metric: string, values: Readonly<Record<string, readonly number[]>>, baseline: string) =>
      compareVariants(
        Object.entries(values).map(([name, list]) => ({
          name,
          byTranscript: new Map(list.map((value, i) => [`t${i}`, { ...FINISHED, [metric]: value }] as const)),
        })),
        baseline,
        [metric],
      ).best[metric];
    const values = { low: [1, 2, 3], high: [2, 3, 4.1] };
    for (const baseline of ['low', 'high']) {
      expect(star('costUsd', values, baseline)).toBe('low');
      expect(star('cacheHitRate', values, baseline)).toBe('high');
      expect(star('turns', values, baseline)).toBeNull();
    }
  });

  it('lists variants that break one condition behind those that break none, in their order', () => {
    const runs = [
      variant('base', [9, 9]),
      variant('dear', [12, 9]),
      variant('cheap', [4, 5]),
      variant('dearer', [15, 9]),
    ];
    const { variants } = compareVariants(runs, 'base', ['costUsd'], [parseExpectation('costUsd < 10', null)]);
    expect(variants.map(({ name, broken }) => [name, broken.length])).toEqual([
      ['base', 0],
      ['cheap', 0],
      ['dear', 1],
      ['dearer', 1],
    ]);
  });

  it('stars none of two that beat the baseline but not each other', () => {
    const runs = [
      variant('base', [10, 12, 9, 11]),
      variant('a', [4, 4.1, 4, 4.1]),
      variant('b', [4.2, 4, 4, 4]),
    ];
    const { best, variants } = compareVariants(runs, 'base', ['costUsd']);
    expect(variants.slice(1).map(({ differences }) => differences!.costUsd!.verdict)).toEqual([
      'better',
      'better',
    ]);
    expect(best.costUsd).toBeNull();
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
    const two = compareVariants([a, b], 'a', ['costUsd']).variants[1];
    const three = compareVariants([c, a, b], 'a', ['costUsd']).variants[2];
    expect(three).toEqual(two);
  });

  it('averages over the transcripts that have a value', () => {
    expect(meansOf([{ a: 1, b: null }, { a: 3 }])).toEqual({ a: 2, b: null });
  });
});
