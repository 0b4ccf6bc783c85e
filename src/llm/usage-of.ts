import type { CacheOutcome } from '../cache/prompt-cache.js';
import type { DeletedContent } from '../model/deleted-content.js';
import type { Usage } from '../model/usage.js';

/**
 * What is billed for a request: what the cache did with its bytes, less what was deleted on the server (C7). Where the cache
 * was hit, reads drop by exactly the deleted tokens; deleted content behind the hit is not written either.
 */
export function usageOf(outcome: CacheOutcome, outputTokens: number, deleted: DeletedContent | null): Usage {
  const { readTokens, write5mTokens, write1hTokens, inputTokens, hitPosition } = outcome;
  if (deleted === null || deleted.tokens === 0) {
    return {
      input: inputTokens,
      cacheRead: readTokens,
      cacheWrite5m: write5mTokens,
      cacheWrite1h: write1hTokens,
      output: outputTokens,
    };
  }
  const ofRead = deleted.upTo(hitPosition);
  const behind = deleted.tokens - ofRead;
  const of1h = Math.min(behind, write1hTokens);
  const of5m = Math.min(behind - of1h, write5mTokens);
  return {
    input: inputTokens - (behind - of1h - of5m),
    cacheRead: readTokens - ofRead,
    cacheWrite5m: write5mTokens - of5m,
    cacheWrite1h: write1hTokens - of1h,
    output: outputTokens,
  };
}
