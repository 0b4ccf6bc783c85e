import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Holders } from '../../../src/core/uses/holders.js';
import { forAll } from '../../helpers/for-all.js';

/** What a table says of a digest: its items, or that they are too many. */
function itemsOf(table: Holders, key: number): readonly number[] | 'common' | null {
  const entry = table.find(key);
  if (entry === -1) return null;
  const count = table.count(entry);
  return count === 0 ? 'common' : table.list(entry, count);
}

describe('the items that hold something', () => {
  it('are four at most, each once in a row; what more hold is common', () => {
    const table = new Holders();
    for (const item of [1, 1, 2, 3, 4]) table.add(7, table.find(7), item);
    expect(itemsOf(table, 7)).toEqual([1, 2, 3, 4]);
    expect(itemsOf(table, 8)).toBeNull();
    const entry = table.find(7);
    table.add(7, entry, 5);
    expect(itemsOf(table, 7)).toBe('common');
    // Whoever found the entry before still knows who they were.
    expect(table.list(entry, 4)).toEqual([1, 2, 3, 4]);
  });

  it('are those of a map of lists, for any digests, also while the table grows', () => {
    const few = fc.integer({ min: 0, max: 40 });
    const wide = fc.nat(Number.MAX_SAFE_INTEGER);
    // Digests that want the same slot.
    const crowded = fc.nat(2_000).map((i) => i * 2 ** 32);
    forAll({ numRuns: 60 }, fc.array(fc.oneof(few, wide, crowded), { maxLength: 3_000 }), (keys) => {
      const table = new Holders();
      const model = new Map<number, number[]>();
      for (const [i, key] of keys.entries()) {
        const item = i >> 2;
        table.add(key, table.find(key), item);
        const all = model.get(key) ?? [];
        if (all.at(-1) !== item) model.set(key, [...all, item]);
      }
      for (const [key, all] of model) expect(itemsOf(table, key)).toEqual(all.length > 4 ? 'common' : all);
    });
  });
});
