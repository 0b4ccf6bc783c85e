import { describe, expect, it } from 'vitest';
import { createRandom, type Random } from '../../src/core/base/random.js';
import { compareVariants, type Difference } from '../../src/study/comparison.js';

const STUDIES = 4_000;
const FINISHED = { finishedShare: 1, callsAnswered: 9, callsLost: 0 };

/** A comparison of two variants over this many transcripts: costs differ between transcripts, the second is more expensive by `shift` and noise. */
function differenceOf(pairs: number, shift: number, random: Random): Difference {
  const before: number[] = [];
  const after: number[] = [];
  for (let i = 0; i < pairs; i++) {
    const cost = 50 + 10 * random.normal();
    before.push(cost);
    after.push(cost + shift + 2 * random.normal());
  }
  const runs = [before, after].map((costs, i) => ({
    name: `v${i}`,
    byTranscript: new Map(costs.map((costUsd, t) => [`t${t}`, { ...FINISHED, costUsd }] as const)),
  }));
  return compareVariants(runs, 'v0', ['costUsd']).variants[1]!.differences!.costUsd!;
}

function studies(pairs: number, shift: number): readonly Difference[] {
  const random = createRandom(`coverage of ${pairs} pairs, ${shift}`);
  return Array.from({ length: STUDIES }, (_, i) => differenceOf(pairs, shift, random.split(String(i))));
}

function share<T>(items: readonly T[], is: (item: T) => boolean): number {
  return items.filter(is).length / items.length;
}

describe('the interval of a comparison', () => {
  it.each([2, 3, 5, 12])(
    'over %i transcripts holds the true difference in 95 ± 1 of 100 studies',
    (pairs) => {
      const covered = share(studies(pairs, 3), ({ low, high }) => low! <= 3 && high! >= 3);
      expect(covered).toBeGreaterThan(0.94);
      expect(covered).toBeLessThan(0.96);
    },
  );

  it('calls noise a result in 5 ± 1 of 100 studies, half of them better and half worse', () => {
    const found = studies(8, 0).map(({ verdict }) => verdict);
    expect(share(found, (verdict) => verdict !== 'within-noise')).toBeGreaterThan(0.04);
    expect(share(found, (verdict) => verdict !== 'within-noise')).toBeLessThan(0.06);
    for (const side of ['better', 'worse'])
      expect(share(found, (verdict) => verdict === side)).toBeGreaterThan(0.015);
  });

  it('finds a difference of three standard errors in most studies', () => {
    const shift = (3 * 2) / Math.sqrt(20);
    expect(share(studies(20, shift), ({ verdict }) => verdict === 'worse')).toBeGreaterThan(0.75);
  });
});
