import { describe, expect, it } from 'vitest';
import { changedSince, type EarlierRun, guardOf, regressions } from '../../../../src/cli/runs/earlier-run.js';
import { progressText } from '../../../../src/cli/terminal/progress.js';

const run = (metrics: Record<string, number | null>, digest = 'a'): EarlierRun => ({ digest, metrics });
const names = (before: EarlierRun, now: EarlierRun, tolerance = 0) =>
  regressions(before, now, guardOf('costUsd,cacheHitRate,requestsRefused', tolerance)).map(
    (item) => item.metric,
  );

describe('comparison with an earlier report', () => {
  it('tells in which direction the cost went, and never calls the same thing a change', () => {
    expect(changedSince(run({ costUsd: 2 }), run({ costUsd: 2 }), 'last report')).toContain('same result');
    expect(changedSince(run({ costUsd: 2 }), run({ costUsd: 2 }, 'b'), 'last report')).toContain(
      'at the same cost ($2.00)',
    );
    expect(changedSince(run({ costUsd: 2 }), run({ costUsd: 3 }, 'b'), 'last report')).toContain(
      'rose by 50.0 %',
    );
    expect(changedSince(run({ costUsd: 2 }), run({ costUsd: 1 }, 'b'), 'last report')).toContain(
      'fell by 50.0 %',
    );
    expect(changedSince(run({ costUsd: 2 }), run({ costUsd: 2.0001 }, 'b'), 'last report')).toContain(
      'less than 0.1 %',
    );
    expect(changedSince(run({ costUsd: null }), run({ costUsd: 1 }, 'b'), 'last report')).toContain(
      'no cost to compare',
    );
    expect(
      changedSince(run({ costUsd: 2, callsLost: 0 }), run({ costUsd: 1, callsLost: 9 }, 'b'), 'last report'),
    ).toBe('differs from the last report: 9 calls were lost, 0 then, so the costs do not compare');
  });

  it('finds what became worse by more than the tolerance, each metric in its own direction', () => {
    const before = run({ costUsd: 100, cacheHitRate: 0.9, callsLost: 0 });
    expect(names(before, run({ costUsd: 101, cacheHitRate: 0.9, callsLost: 0 }))).toEqual(['costUsd']);
    expect(names(before, run({ costUsd: 101, cacheHitRate: 0.9, callsLost: 0 }), 1)).toEqual([]);
    expect(names(before, run({ costUsd: 90, cacheHitRate: 0.8, callsLost: 0 }))).toEqual(['cacheHitRate']);
    expect(names(before, run({ costUsd: 50, cacheHitRate: 0.95, callsLost: 1 }), 10)).toEqual(['callsLost']);
    expect(names(before, run({ costUsd: null, cacheHitRate: 0.9, callsLost: 0 }))).toEqual(['costUsd']);
    expect(names(run({ costUsd: null }), run({ costUsd: 5 }))).toEqual([]);
  });
});

describe('progress', () => {
  it('tells share, rate and time left once there is something to go by', () => {
    expect(progressText(0, 1_000, 0)).toBe('0% · 0 of 1,000 calls');
    expect(progressText(400, 1_000, 2_000)).toBe('40% · 400 of 1,000 calls · 200 calls/s · 3 s left');
    expect(progressText(1_200, 1_000, 2_000)).toContain('99%');
  });
});
