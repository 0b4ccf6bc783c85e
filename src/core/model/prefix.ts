import type { Digest } from '../base/digest.js';

/**
 * A request as the cache sees it: one position per block, in the order tools, system, messages.
 * `digests[i]` chains the blocks 0…i, `sums[i]` is their true tokens.
 */
export interface PrefixView {
  readonly length: number;
  readonly digests: ArrayLike<Digest>;
  readonly sums: ArrayLike<number>;
  /** Number of positions that are tools; then system up to systemEnd; then messages. */
  readonly toolsEnd: number;
  readonly systemEnd: number;
  /** Blocks among 0…i that a lookback as recorded does not count: those of thinking (K7). Absent where there are none. */
  readonly uncounted?: ArrayLike<number>;
}

/** A marked position: the prefix that ends there is looked up and written. */
export interface Breakpoint {
  /** Index of the marked block. */
  readonly position: number;
  readonly ttlMs: number;
}

/** Content of a request that was deleted on the server: it is named in the bytes, but no longer part of the prompt (MIC-3). */
export interface DeletedContent {
  /** True tokens of all of it. */
  readonly tokens: number;
  /** True tokens of it up to and including a position of the request. */
  upTo(position: number): number;
}
