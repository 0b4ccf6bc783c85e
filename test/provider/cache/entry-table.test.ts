import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EntryTable } from '../../../src/provider/cache/entry-table.js';
import { forAll } from '../../helpers/for-all.js';

describe('the table of cache entries', () => {
  it('CCH-1 holds what a map would hold, with keys that share their low bits', () => {
    const key = fc.tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 1, max: 3 }));
    forAll(fc.array(key, { maxLength: 200 }), fc.integer({ min: 0, max: 200 }), (keys, limit) => {
      const table = new EntryTable();
      const model = new Map<number, number>();
      for (const [i, [high, low]] of keys.entries()) {
        const digest = high * 2 ** 32 + low;
        const slot = table.find(digest);
        expect(slot === -1).toBe(!model.has(digest));
        if (slot === -1) table.add(digest, i, i, 300);
        else table.expiresAtMs[slot] = i;
        model.set(digest, i);
      }
      table.dropBefore(limit);
      for (const [digest, i] of model) {
        const slot = table.find(digest);
        expect(slot === -1 ? null : table.expiresAtMs[slot]).toBe(i < limit ? null : i);
      }
      expect(table.size).toBe([...model.values()].filter((i) => i >= limit).length);
    });
  });

  it('grows beyond its first size and forgets everything when cleared', () => {
    const table = new EntryTable();
    for (let i = 1; i <= 5_000; i++) table.add(i * 1_024, i, i, 300);
    for (let i = 1; i <= 5_000; i++) expect(table.readyAtMs[table.find(i * 1_024)]).toBe(i);
    table.clear();
    expect(table.find(1_024)).toBe(-1);
    expect(table.size).toBe(0);
  });
});
