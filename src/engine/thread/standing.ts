import { copyState, restoreState } from '../../core/base/checkpoint.js';
import type { CacheObservation } from '../../provider/cache/break-detector.js';
import type { CachedPrefix } from '../context/cached-prefix.js';
import { type CounterRules, SeenCounter } from '../counting/seen-counter.js';

/** What the requests of a thread have shown so far; another thread can go on from it. */
export interface Standing {
  readonly seen: SeenCounter;
  readonly latest: CacheObservation | null;
  readonly cached: CachedPrefix;
  readonly lastResponseMs: number | null;
}

/** What of a thread another one can go on from. */
interface Stood {
  readonly counter: CounterRules;
  readonly seen: SeenCounter;
  readonly cached: CachedPrefix;
  readonly exchange: { readonly latest: CacheObservation | null };
  readonly lastResponseMs: number | null;
}

/** Where a thread stands now; what it does later changes nothing in it. */
export function standingOf(run: Stood): Standing {
  const seen = new SeenCounter(run.counter);
  restoreState(seen, run.seen);
  return {
    seen,
    cached: copyState(run.cached),
    latest: run.exchange.latest,
    lastResponseMs: run.lastResponseMs,
  };
}
