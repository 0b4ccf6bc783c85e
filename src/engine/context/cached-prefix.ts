import type { Context } from './context.js';
import type { Deletions } from './deletions.js';

/** What a thread's latest request left in the cache, as its client knows it. */
export class CachedPrefix {
  /** End of its lifetime. */
  untilMs = 0;
  private sentTokens = 0;

  /** A request was answered: it is cached until then. */
  renew(sentTokens: number, untilMs: number): void {
    this.sentTokens = sentTokens;
    this.untilMs = untilMs;
  }

  /** A short request read the entry, or wrote it anew: the same is cached until then. */
  keepUntil(untilMs: number): void {
    this.untilMs = untilMs;
  }

  /** Live tokens of it in front of a position: not more than was sent, without what was deleted there. */
  tokensBefore(position: number, context: Context, deletions: Deletions, nowMs: number): number {
    if (nowMs >= this.untilMs) return 0;
    return Math.min(this.sentTokens, context.tokensBetween(0, position)) - deletions.upTo(position - 1);
  }
}
