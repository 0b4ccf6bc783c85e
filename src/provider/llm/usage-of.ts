import type { DeletedContent } from '../../core/model/deleted-content.js';
import type { PrefixView } from '../../core/model/prefix.js';
import type { Usage } from '../../core/model/usage.js';
import type { CacheOutcome } from '../cache/prompt-cache.js';

/**
 * What is billed for a request: what the cache did with its bytes, less what was deleted on the server (C7). Where the cache
 * was hit, reads drop by exactly the deleted tokens; deleted content behind the hit is not written either.
 */
export function usageOf(
  outcome: CacheOutcome,
  outputTokens: number,
  deleted: DeletedContent | null,
  view: Pick<PrefixView, 'sums'>,
): Usage {
  const { readTokens, write5mTokens, write1hTokens, inputTokens } = outcome;
  if (deleted === null || deleted.tokens === 0) {
    return {
      input: inputTokens,
      cacheRead: readTokens,
      cacheWrite5m: write5mTokens,
      cacheWrite1h: write1hTokens,
      output: outputTokens,
    };
  }
  const ofRead = deletedInRead(outcome, deleted, view);
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

/** Deleted tokens among those that were read: a read on steps, or one by chance, may end before the entry does, even inside of a block. */
function deletedInRead(
  { readTokens, hitPosition }: CacheOutcome,
  deleted: DeletedContent,
  { sums }: Pick<PrefixView, 'sums'>,
): number {
  let whole = hitPosition;
  while (whole >= 0 && sums[whole]! > readTokens) whole--;
  const ofWhole = deleted.upTo(whole);
  const ofNext = deleted.upTo(whole + 1) - ofWhole;
  return ofWhole + Math.min(ofNext, readTokens - (whole < 0 ? 0 : sums[whole]!));
}
