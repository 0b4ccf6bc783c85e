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

/** One hot path at one size. */
export interface PathResult {
  readonly name: string;
  /** Tokens of context, besides tools, system and the first prompt. */
  readonly size: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly opsPerSec: number;
}

/** How the time of something grows with its size. */
export interface GrowthResult {
  readonly name: string;
  readonly exponent: number;
  /** True where the output itself is the whole window, so that no less than linear is possible. */
  readonly wholeWindow: boolean;
  /** The highest exponent the project promises; null if the output is the whole window. */
  readonly promised: number | null;
  /** What the work is done on. */
  readonly input: string;
}

/** The highest exponent that is promised: linear, with room for noise. */
export const HIGHEST_EXPONENT = 1.1;

/** Two contenders measured in one run. */
export interface RatioResult {
  readonly name: string;
  readonly ratio: number;
  /** What the ratio says, with its figures. */
  readonly detail: string;
  /** The value the project promises; null when it is only stated. */
  readonly promised: number | null;
}

/** True where growth is faster than promised. */
export function growsTooFast({ exponent, promised }: Pick<GrowthResult, 'exponent' | 'promised'>): boolean {
  return promised !== null && exponent > promised;
}

/** True where a ratio is below its promise. */
export function fallsShort({ ratio, promised }: Pick<RatioResult, 'ratio' | 'promised'>): boolean {
  return promised !== null && ratio < promised;
}

/** How a suite runs. */
export interface SuiteOptions {
  readonly quick: boolean;
  readonly onProgress: (what: string) => void;
}

/** What a benchmark run found. */
export interface BenchResult {
  readonly results: readonly PathResult[];
  readonly growth: readonly GrowthResult[];
  readonly ratios: readonly RatioResult[];
  readonly notes: readonly string[];
}

/** Puts results together. */
export function joinResults(parts: readonly Partial<BenchResult>[]): BenchResult {
  return {
    results: parts.flatMap((part) => part.results ?? []),
    growth: parts.flatMap((part) => part.growth ?? []),
    ratios: parts.flatMap((part) => part.ratios ?? []),
    notes: parts.flatMap((part) => part.notes ?? []),
  };
}
