import { describe, expect, it } from 'vitest';
import { growthExponent } from '../../../../src/cli/commands/bench/measure.js';
import {
  type BenchResult,
  fallsShort,
  growsTooFast,
  joinResults,
  regressions,
} from '../../../../src/cli/commands/bench/result.js';

const SIZES = [10_000, 100_000, 1_000_000];

function exponentOf(time: (size: number) => number): number {
  return growthExponent(SIZES.map((size) => ({ size, ms: time(size) })));
}

function timed(p50Ms: Readonly<Record<string, number>>): BenchResult {
  return joinResults([
    {
      results: Object.entries(p50Ms).map(([name, ms]) => ({
        name,
        size: 10_000,
        p50Ms: ms,
        p99Ms: ms,
        opsPerSec: 1_000 / ms,
      })),
    },
  ]);
}

describe('growth', () => {
  it('is the power of the size that the time goes with', () => {
    expect(exponentOf(() => 5)).toBeCloseTo(0);
    expect(exponentOf((size) => size / 7)).toBeCloseTo(1);
    expect(exponentOf((size) => size * size)).toBeCloseTo(2);
    expect(exponentOf((size) => Math.sqrt(size))).toBeCloseTo(0.5);
  });

  it('is too fast above what is promised, and never where nothing is', () => {
    expect(growsTooFast({ exponent: 1.1, promised: 1.1 })).toBe(false);
    expect(growsTooFast({ exponent: 1.11, promised: 1.1 })).toBe(true);
    expect(growsTooFast({ exponent: 2, promised: null })).toBe(false);
  });
});

it('a ratio falls short below what is promised, and never where nothing is', () => {
  expect(fallsShort({ ratio: 0.33, promised: 0.33 })).toBe(false);
  expect(fallsShort({ ratio: 0.32, promised: 0.33 })).toBe(true);
  expect(fallsShort({ ratio: 0.1, promised: null })).toBe(false);
});

describe('regressions', () => {
  const before = timed({ a: 1, b: 2, c: 4 });

  it('are paths that became slower than the others did, worst first', () => {
    const found = regressions(timed({ a: 3, b: 2, c: 4 }), before, 1.6);
    expect(found).toEqual([{ name: 'a', size: 10_000, beforeMs: 1, nowMs: 3, factor: 3 }]);
  });

  it('are none where the whole machine is slower, or within the noise', () => {
    expect(regressions(timed({ a: 3, b: 6, c: 12 }), before, 1.6)).toEqual([]);
    expect(regressions(timed({ a: 1.5, b: 2, c: 4 }), before, 1.6)).toEqual([]);
    expect(regressions(timed({ a: 1.5, b: 2, c: 4 }), before, 1.4)).toHaveLength(1);
  });

  it('leave out paths that the saved run does not know', () => {
    expect(regressions(timed({ d: 9 }), before, 1.6)).toEqual([]);
  });
});
