import type { Context } from './context.js';

/** What the latest request of a thread's own chain left behind: how much was sent, and until when it is cached. */
export class SentState {
  /** Positions of that request. */
  length = 0;
  private tokens = 0;
  private cachedUntilMs = 0;

  constructor(private readonly context: Context) {}

  /** A request was answered: all of the context was in it. */
  note(startMs: number, ttlMs: number): void {
    const { context } = this;
    context.sent();
    this.length = context.length;
    this.tokens = context.trueTokens;
    this.cachedUntilMs = startMs + ttlMs;
  }

  /** Goes on from what another thread sent, but for its positions. */
  adopt(other: SentState): void {
    this.tokens = other.tokens;
    this.cachedUntilMs = other.cachedUntilMs;
  }

  isCachedAt(timeMs: number): boolean {
    return timeMs < this.cachedUntilMs;
  }

  /** Cached tokens behind a position that is about to change: they must be written again. */
  cachedBehind(position: number, nowMs: number): number {
    if (position < 0 || position >= this.length || !this.isCachedAt(nowMs)) return 0;
    return Math.max(0, this.tokens - (position === 0 ? 0 : this.context.sums[position - 1]!));
  }

  /** First position that differs from that request; null when it only grew. */
  get firstChanged(): number | null {
    return this.context.unchanged < this.length ? this.context.unchanged : null;
  }
}
