import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeptRuns, type StoredResult } from '../../src/study/kept-runs.js';
import { forAll } from '../helpers/for-all.js';

const value = fc.oneof(
  fc.constantFrom(null, 0, -0, 1),
  fc.double({ noNaN: true }),
  fc.integer({ min: 0, max: 9 }),
);

/** Runs of a study, and now and then one with other metrics. */
const records = fc.array(
  fc.oneof(
    { weight: 9, arbitrary: fc.record({ costUsd: value, turns: value, finishedShare: value }) },
    { weight: 1, arbitrary: fc.record({ turns: value, 'costByCause.carry': value }) },
  ),
  { maxLength: 1_500, size: 'max' },
);

describe('kept runs', () => {
  it('are what was put there, in any order, with other metrics among them, and again under a known address', () => {
    forAll({ numRuns: 25 }, records, (all) => {
      const kept = new KeptRuns();
      const results = all.map(
        (metrics, i): StoredResult => ({
          key: `run ${i % 1_000}`,
          metrics,
          skipped: i % 2 === 0 ? [] : ['a: b', `c: ${i % 3}`],
        }),
      );
      for (const result of results) kept.set(result.key, result);
      const last = new Map(results.map((result) => [result.key, result]));
      expect([...kept.keys()]).toEqual([...last.keys()]);
      expect(kept.size).toBe(last.size);
      for (const [key, result] of last) {
        expect(kept.get(key)).toEqual(result);
        expect(Object.keys(kept.get(key)!.metrics)).toEqual(Object.keys(result.metrics));
      }
      expect(kept.get('another')).toBeUndefined();
    });
  });
});
