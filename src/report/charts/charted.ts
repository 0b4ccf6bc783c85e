/** A hot path at one size. */
export interface ChartedTime {
  readonly name: string;
  /** Tokens of context. */
  readonly size: number;
  readonly p50Ms: number;
}

/** How something grows. */
export interface ChartedGrowth {
  readonly name: string;
  readonly exponent: number;
  /** The highest exponent that is promised; null where the output is the whole window. */
  readonly promised: number | null;
}

/** A ratio with its promise. */
export interface ChartedRatio {
  readonly name: string;
  readonly ratio: number;
  /** null = only stated. */
  readonly promised: number | null;
}
