import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AlikeSession, type Compared, compareAlike } from '../../../src/analysis/why/alike.js';
import { createRandom } from '../../../src/core/base/random.js';
import { forAll } from '../../helpers/for-all.js';

const CENT = 10_000_000;

/** A session of so many requests at this price each. */
function session(
  side: AlikeSession['side'],
  units: number,
  nanoPerUnit: number,
  stratum = 'same',
): AlikeSession {
  return { stratum, side, units, nano: units * nanoPerUnit };
}

/** Sessions of four sizes on both sides whose requests vary in price; those of the second side cost `factor` times as much. */
function drawn(seed: number, factor: number, perSide = 24): readonly AlikeSession[] {
  const random = createRandom(`sessions ${seed}`);
  return Array.from({ length: 2 * perSide }, (_, i) => {
    const side = i % 2 === 0 ? 'before' : 'after';
    const power = 2 + (Math.floor(i / 2) % 4);
    const units = 2 ** power + random.integer(0, 2 ** power - 1);
    const price = CENT * power * (0.6 + 0.8 * random.next()) * (side === 'after' ? factor : 1);
    return session(side, units, price, `size ${power}`);
  });
}

function covers({ low, high }: Compared, value: number): boolean {
  return low! <= value && value <= high!;
}

/** How many of a hundred draws have an interval over a value. */
function covered(value: number, factor: number): number {
  return Array.from({ length: 100 }, (_, seed) =>
    covers(compareAlike('a request', drawn(seed, factor)), value),
  ).filter(Boolean).length;
}

describe('alike sessions', () => {
  it('find exactly 20 % more where each session has a twin that costs 20 % more per request', () => {
    const before = drawn(1, 1).filter(({ side }) => side === 'before');
    const after = before.map((own) => ({ ...own, side: 'after' as const, nano: own.nano * 1.2 }));
    const found = compareAlike('a request', [...before, ...after]);
    expect(found.difference).toBeCloseTo(0.2, 10);
    expect(covers(found, 0.2)).toBe(true);
    expect(found).toMatchObject({ verdict: 'more', alike: { before: 24, after: 24 } });
  });

  it('cover the truth in about nine of ten draws: 20 % more, and nothing where labels mean nothing', () => {
    // 90 of 100 are expected; fewer than 80 or all would be an interval of another width.
    for (const hits of [covered(0.2, 1.2), covered(0, 1)]) {
      expect(hits).toBeGreaterThanOrEqual(80);
      expect(hits).toBeLessThan(100);
    }
  });

  it('shuffled labels give an interval over 0, though half of the sessions cost 20 % more', () => {
    const sessions = drawn(1, 1.2, 40);
    const hits = Array.from({ length: 50 }, (_, seed) => {
      const random = createRandom(`labels ${seed}`);
      const shuffled = sessions.map((own) => ({
        ...own,
        side: random.chance(0.5) ? ('before' as const) : ('after' as const),
      }));
      return covers(compareAlike('a request', shuffled), 0);
    }).filter(Boolean).length;
    expect(hits).toBeGreaterThanOrEqual(40);
  });

  it('see no difference where the second side only has more of the expensive kind', () => {
    const of = (side: AlikeSession['side'], count: number, price: number, stratum: string) =>
      Array.from({ length: count }, () => session(side, 10, price, stratum));
    const found = compareAlike('a request', [
      ...of('before', 9, CENT, 'small'),
      ...of('before', 2, 5 * CENT, 'large'),
      ...of('after', 2, CENT, 'small'),
      ...of('after', 9, 5 * CENT, 'large'),
    ]);
    // 110 requests of each kind at 1 and 5 cents: 3 cents on both sides.
    expect(found).toMatchObject({ difference: 0, low: 0, high: 0, verdict: 'no-difference' });
    expect(found.beforeUsd).toBeCloseTo(0.03, 10);
    expect(found.afterUsd).toBeCloseTo(0.03, 10);
  });

  it('cannot tell from fewer than five alike sessions on a side, and count those that there are', () => {
    const lonely = Array.from({ length: 20 }, () => session('after', 10, CENT, 'only after'));
    const few = Array.from({ length: 4 }, (_, i) => session('before', 10, CENT * (i + 1)));
    const many = Array.from({ length: 9 }, (_, i) => session('after', 10, CENT * (i + 1)));
    expect(compareAlike('a request', [...lonely, ...few, ...many])).toEqual({
      name: 'a request',
      beforeUsd: null,
      afterUsd: null,
      difference: null,
      low: null,
      high: null,
      alike: { before: 4, after: 9 },
      verdict: 'cannot-tell',
    });
  });

  it('do not depend on the order in which they are given', () => {
    forAll({ numRuns: 10 }, fc.integer({ min: 0, max: 1_000 }), fc.infiniteStream(fc.nat()), (seed, keys) => {
      const sessions = drawn(seed, 1.1, 8);
      const mixed = sessions
        .map((own) => ({ own, key: keys.next().value }))
        .sort((a, b) => a.key - b.key)
        .map(({ own }) => own);
      expect(compareAlike('a request', mixed)).toEqual(compareAlike('a request', sessions));
    });
  });
});
