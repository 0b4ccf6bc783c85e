import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  batchesOfPart,
  batchesOfShard,
  partitionOf,
  partOfBatch,
  runsOfBatch,
  runsOfPart,
} from '../../src/study/batches.js';
import { gridPoint, gridSize, parseVary } from '../../src/study/vary.js';
import { forAll } from '../helpers/for-all.js';

const range = (length: number) => Array.from({ length }, (_, i) => i);

describe('partitionOf', () => {
  it('cuts a million runs into batches of 1,000 and parts of 5,000', () => {
    expect(partitionOf(1_000_000)).toEqual({
      runs: 1_000_000,
      batchRuns: 1_000,
      batches: 1_000,
      batchesPerPart: 5,
      parts: 200,
    });
  });

  it('every run is in one batch, every batch in one part, and only the last part is below 5,000 rows', () => {
    forAll(fc.integer({ min: 1, max: 60_000 }), (runs) => {
      const partition = partitionOf(runs);
      let next = 0;
      for (const batch of range(partition.batches)) {
        const { from, to } = runsOfBatch(partition, batch);
        expect(from).toBe(next);
        expect(to).toBeGreaterThan(from);
        expect(to - from).toBeLessThanOrEqual(2_000);
        next = to;
        const part = batchesOfPart(partition, partOfBatch(partition, batch));
        expect(batch >= part.from && batch < part.to).toBe(true);
      }
      expect(next).toBe(runs);
      const rows = range(partition.parts).map((part) => {
        const { from, to } = runsOfPart(partition, part);
        return to - from;
      });
      expect(rows.reduce((sum, value) => sum + value, 0)).toBe(runs);
      for (const count of rows.slice(0, -1)) expect(count).toBeGreaterThanOrEqual(5_000);
    });
  });
});

describe('batchesOfShard', () => {
  it('shards share all batches, none twice, and differ by no more than the most expensive batch', () => {
    forAll(
      fc.array(fc.integer({ min: 1, max: 1_000 }), { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 1, max: 12 }),
      (costs, of) => {
        const shards = range(of).map((i) => batchesOfShard(costs, { index: i + 1, of }));
        expect(shards.flat().sort((a, b) => a - b)).toEqual(range(costs.length));
        const loads = shards.map((own) => own.reduce((sum, batch) => sum + costs[batch]!, 0));
        expect(Math.max(...loads) - Math.min(...loads)).toBeLessThanOrEqual(Math.max(...costs));
      },
    );
  });

  it('gives one dear batch to one shard and the four cheap ones to the other', () => {
    expect(batchesOfShard([1, 1, 4, 1, 1], { index: 1, of: 2 })).toEqual([2]);
    expect(batchesOfShard([1, 1, 4, 1, 1], { index: 2, of: 2 })).toEqual([0, 1, 3, 4]);
  });
});

describe('gridPoint', () => {
  it('is the point at a place of a grid that was never made, the last axis changing fastest', () => {
    const axes = ['a=1..1000:1000', 'b=x,y', 'c=1..1000:1000'].map((text) =>
      parseVary(text, () => 1, 'refused'),
    );
    expect(gridSize(axes)).toBe(2_000_000);
    expect(gridPoint(axes, 0)).toEqual(['1', 'x', '1']);
    expect(gridPoint(axes, 1)).toEqual(['1', 'x', '2']);
    expect(gridPoint(axes, 1_000)).toEqual(['1', 'y', '1']);
    expect(gridPoint(axes, 1_999_999)).toEqual(['1000', 'y', '1000']);
  });
});
