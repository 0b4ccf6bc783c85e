import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { leastFaults } from '../../../src/core/uses/least-faults.js';
import type { Item, Use } from '../../../src/core/uses/uses.js';
import { forAll } from '../../helpers/for-all.js';

const item = (tokens: number, seenAt: number): Item => ({
  message: 'm',
  block: 0,
  origin: 'result',
  tool: 'Read',
  path: null,
  tokens,
  seenAt,
});
const use = (at: number, needed: number, holders: readonly number[] = [needed]): Use => ({
  kind: 'echo',
  call: `c${at}`,
  at,
  what: '',
  item: needed,
  holders,
  tokens: 0,
  isStale: false,
});

/**
 * The least cost of all choices: at each call any of the items stay that were there or have just come, as long as they fit. What is
 * needed, not there and not missed before costs its price, which is 1 for a count of faults.
 */
function bruteForce(
  items: readonly Item[],
  uses: readonly Use[],
  budget: number,
  priceOf: (item: Item) => number = () => 1,
): number {
  const calls = Math.max(0, ...uses.map(({ at }) => at)) + 1;
  const sizeOf = (held: number): number =>
    items.reduce((sum, { tokens }, i) => sum + ((held >> i) & 1) * tokens, 0);
  let states = new Map<string, number>([['0 0', 0]]);
  for (let call = 0; call < calls; call++) {
    const next = new Map<string, number>();
    const came = items.reduce((held, { seenAt }, i) => (seenAt === call ? held | (1 << i) : held), 0);
    for (const [state, faults] of states) {
      const [held, missed] = state.split(' ').map(Number) as [number, number];
      const most = held | came;
      for (let kept = most; ; kept = (kept - 1) & most) {
        if (sizeOf(kept) <= budget) {
          let now = missed;
          let more = 0;
          for (const { at, item: needed, holders } of uses) {
            const isThere = holders.some((holder) => ((kept >> holder) & 1) === 1);
            if (at !== call || isThere || ((now >> needed) & 1) === 1) continue;
            now |= 1 << needed;
            more += priceOf(items[needed]!);
          }
          const key = `${kept} ${now}`;
          next.set(key, Math.min(next.get(key) ?? Number.POSITIVE_INFINITY, faults + more));
        }
        if (kept === 0) break;
      }
    }
    states = next;
  }
  return Math.min(...states.values());
}

/** Bélády for items of one size that are each needed once: where too many are there, the one that is needed last goes. */
function farthestFirst(needs: readonly (readonly [seenAt: number, at: number])[], budget: number): number {
  let faults = 0;
  let held: number[] = [];
  for (let call = 0; call <= Math.max(...needs.map(([, at]) => at)); call++) {
    held = held.filter((at) => at >= call);
    held.push(...needs.filter(([seenAt]) => seenAt === call).map(([, at]) => at));
    held.sort((a, b) => a - b);
    faults += Math.max(0, held.length - budget);
    held.length = Math.min(held.length, budget);
  }
  return faults;
}

/** Some items, and what later calls need of them. */
const threads = (tokens: fc.Arbitrary<number>, mostHolders: number) =>
  fc.array(fc.tuple(tokens, fc.nat(4)), { minLength: 1, maxLength: 5 }).chain((made) => {
    const items = made.map(([size, seenAt]) => item(size, seenAt));
    const one = fc.nat(items.length - 1);
    const holders =
      mostHolders === 1
        ? one.map((needed) => [needed])
        : fc.uniqueArray(one, { minLength: 1, maxLength: mostHolders });
    const uses = fc.array(
      fc.tuple(holders, fc.nat(3)).map(([all, later]) => {
        const at = Math.max(...all.map((holder) => items[holder]!.seenAt)) + later;
        return use(at, all.at(-1)!, all);
      }),
      { maxLength: 7 },
    );
    return fc.record({ items: fc.constant(items), uses });
  });

/** Prices of 0 to 9 that do not go with sizes. */
const priced = fc.array(fc.nat(9), { minLength: 5, maxLength: 5 });
const priceIn =
  (items: readonly Item[], prices: readonly number[]) =>
  (one: Item): number =>
    prices[items.indexOf(one)]!;

describe('the least faults within a budget', () => {
  it('is none where everything fits, and one for each item that can never stay', () => {
    const items = [item(100, 0), item(100, 1)];
    const uses = [use(3, 0), use(4, 0), use(3, 1)];
    expect(leastFaults(items, uses, 200)).toBe(0);
    expect(leastFaults(items, uses, 199)).toBe(1);
    expect(leastFaults(items, uses, 99)).toBe(2);
  });

  it('gives up the one that is needed last: three that overlap, two places', () => {
    const items = [item(1, 0), item(1, 0), item(1, 0), item(1, 3)];
    // The third is needed at call 9 only; without it the fourth fits too.
    const uses = [use(2, 0), use(8, 1), use(9, 2), use(8, 3)];
    expect(leastFaults(items, uses, 2)).toBe(1);
  });

  it('keeps many small ones for a large one', () => {
    const items = [item(90, 0), item(30, 0), item(30, 0), item(30, 0)];
    const uses = [use(5, 0), use(5, 1), use(5, 2), use(5, 3)];
    expect(leastFaults(items, uses, 100)).toBe(1);
  });

  it('takes back a first choice that leaves less room than another', () => {
    // At each call two of the first four fit, and with the fifth none.
    const items = [item(9, 0), item(9, 2), item(10, 0), item(10, 1), item(20, 0)];
    const uses = [use(0, 0), use(2, 1), use(1, 2), use(2, 3), use(2, 4)];
    expect(leastFaults(items, uses, 20)).toBe(1);
  });

  it('needs any of the items that hold something', () => {
    const items = [item(50, 0), item(60, 1)];
    expect(leastFaults(items, [use(4, 1, [0, 1])], 50)).toBe(0);
    expect(leastFaults(items, [use(4, 1, [0, 1])], 49)).toBe(1);
    // The first two do not fit together; the third comes when the second is no longer needed.
    const later = [item(50, 0), item(50, 0), item(60, 2)];
    expect(leastFaults(later, [use(1, 1), use(4, 2, [0, 2])], 60)).toBe(0);
  });

  it('is never more than the least of all choices', () => {
    forAll(threads(fc.integer({ min: 0, max: 6 }), 3), fc.nat(15), ({ items, uses }, budget) => {
      expect(leastFaults(items, uses, budget)).toBeLessThanOrEqual(bruteForce(items, uses, budget));
    });
  });

  it('is the least of all choices where items are of one size', () => {
    forAll(threads(fc.constant(1), 1), fc.nat(5), ({ items, uses }, budget) => {
      expect(leastFaults(items, uses, budget)).toBe(bruteForce(items, uses, budget));
    });
    const needs = fc.array(
      fc.tuple(fc.nat(30), fc.nat(12)).map(([seenAt, later]) => [seenAt, seenAt + later] as const),
      { minLength: 1, maxLength: 40 },
    );
    forAll(needs, fc.nat(8), (all, budget) => {
      const items = all.map(([seenAt]) => item(1, seenAt));
      const uses = all.map(([, at], i) => use(at, i));
      expect(leastFaults(items, uses, budget)).toBe(farthestFirst(all, budget));
    });
  });

  it('is no more in parts of a long thread than in all of it, and the same where nothing is kept from one part to another', () => {
    // 600 times three come together, are needed one call later, and two of them fit.
    const items = Array.from({ length: 1_800 }, (_, i) => item(1, 2 * Math.floor(i / 3)));
    const uses = items.map(({ seenAt }, i) => use(seenAt + 1, i));
    expect(leastFaults(items, uses, 2)).toBe(600);
    const needs = fc.array(
      fc.tuple(fc.nat(900), fc.nat(60)).map(([seenAt, later]) => [seenAt, seenAt + later] as const),
      { minLength: 501, maxLength: 900 },
    );
    forAll({ numRuns: 20 }, needs, fc.integer({ min: 1, max: 20 }), (all, budget) => {
      const made = all.map(([seenAt]) => item(1, seenAt));
      const bound = leastFaults(
        made,
        all.map(([, at], i) => use(at, i)),
        budget,
      );
      expect(bound).toBeLessThanOrEqual(farthestFirst(all, budget));
      expect(bound).toBeGreaterThan(0.8 * farthestFirst(all, budget));
    });
  });
});

describe('the least price of faults within a budget', () => {
  it('gives up what is cheap to fetch again, not what is large', () => {
    const items = [item(90, 0), item(30, 0), item(30, 0), item(30, 0)];
    const uses = [use(5, 0), use(5, 1), use(5, 2), use(5, 3)];
    // The large one takes the room of three: it stays where it costs more than they do together.
    const leastWith = (price: number) =>
      leastFaults(items, uses, 90, ({ tokens }) => (tokens === 90 ? price : 100));
    expect(leastWith(400)).toBe(300);
    expect(leastWith(200)).toBe(200);
    expect(leastFaults(items, uses, 90, () => 0)).toBe(0);
    expect(leastFaults(items, uses, 29, ({ tokens }) => tokens)).toBe(180);
  });

  it('is never more than the least of all choices', () => {
    forAll(
      threads(fc.integer({ min: 0, max: 6 }), 3),
      fc.nat(15),
      priced,
      ({ items, uses }, budget, prices) => {
        const priceOf = priceIn(items, prices);
        expect(leastFaults(items, uses, budget, priceOf)).toBeLessThanOrEqual(
          bruteForce(items, uses, budget, priceOf),
        );
      },
    );
  });

  it('is the least of all choices where items are of one size', () => {
    forAll(threads(fc.constant(1), 1), fc.nat(5), priced, ({ items, uses }, budget, prices) => {
      const priceOf = priceIn(items, prices);
      expect(leastFaults(items, uses, budget, priceOf)).toBe(bruteForce(items, uses, budget, priceOf));
    });
  });
});
