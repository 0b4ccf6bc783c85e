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
  /** The highest exponent the project promises; null where the output is the whole window. */
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
  /** What the ratio says, with the figures behind it. */
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
