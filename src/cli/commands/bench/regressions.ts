import type { BenchResult } from './result.js';

/** A hot path that became slower than a saved run, beyond the noise. */
export interface Regression {
  readonly name: string;
  readonly size: number;
  readonly beforeMs: number;
  readonly nowMs: number;
  readonly factor: number;
}

/** Timings on shared machines wander by 40 % and more: less than this is noise. */
export const NOISE_FACTOR = 1.6;

/** Below this a path is too short to compare at all. */
const SHORTEST_MS = 0.000_2;

/**
 * Paths that are slower than in a saved run. The median change of all paths is taken for the machine's own and divided out
 * first; what is left beyond the noise floor is a regression.
 */
export function regressions(
  now: BenchResult,
  before: BenchResult,
  noiseFactor: number,
): readonly Regression[] {
  const saved = new Map(
    before.results.map((result) => [`${result.name} ${result.size}`, result.p50Ms] as const),
  );
  const pairs = now.results.flatMap((result) => {
    const beforeMs = saved.get(`${result.name} ${result.size}`);
    if (beforeMs === undefined || beforeMs < SHORTEST_MS || result.p50Ms < SHORTEST_MS) return [];
    return [
      {
        name: result.name,
        size: result.size,
        beforeMs,
        nowMs: result.p50Ms,
        factor: result.p50Ms / beforeMs,
      },
    ];
  });
  if (pairs.length === 0) return [];
  const factors = pairs.map((pair) => pair.factor).sort((a, b) => a - b);
  const machine = factors[Math.floor(factors.length / 2)]!;
  return pairs
    .map((pair) => ({ ...pair, factor: pair.factor / machine }))
    .filter((pair) => pair.factor > noiseFactor)
    .sort((a, b) => b.factor - a.factor);
}
