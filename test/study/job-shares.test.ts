import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Job } from '../../src/study/job.js';
import { JobShares } from '../../src/study/worker-pool.js';
import { forAll } from '../helpers/for-all.js';

const jobsOf = (count: number): readonly Job[] =>
  Array.from({ length: count }, (_, index) => ({ index }) as Job);

describe('jobs that threads share', () => {
  it('are taken once each, whoever takes when, loses some and comes late', () => {
    forAll(
      fc.nat(60),
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.record({ taker: fc.nat(5), isLost: fc.integer({ min: 0, max: 9 }) }), { maxLength: 200 }),
      (count, threads, acts) => {
        const left = new JobShares<number>(jobsOf(count));
        left.shareOut(Array.from({ length: threads }, (_, i) => i));
        const done: number[] = [];
        const take = (taker: number, isLost: boolean): boolean => {
          const job = left.take(taker);
          if (job === null) return false;
          if (isLost) left.giveBack([job]);
          else done.push(job.index);
          return true;
        };
        for (const { taker, isLost } of acts) take(taker, isLost === 0);
        while (take(done.length % threads, false));
        expect(left.size).toBe(0);
        expect(done.toSorted((a, b) => a - b)).toEqual(jobsOf(count).map(({ index }) => index));
      },
    );
  });

  it('are neighbours for each thread, until one helps another', () => {
    const left = new JobShares<string>(jobsOf(10));
    left.shareOut(['a', 'b']);
    const took = (taker: string): number => left.take(taker)!.index;
    expect([took('a'), took('b'), took('a'), took('b')]).toEqual([0, 5, 1, 6]);
    expect([took('b'), took('b'), took('b')]).toEqual([7, 8, 9]);
    // Of 2, 3 and 4, which are left of a's share, the latter two.
    expect([took('b'), took('b'), took('a')]).toEqual([3, 4, 2]);
    expect(left.take('a')).toBeNull();
  });
});
