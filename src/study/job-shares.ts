import type { Job } from './job.js';

interface Share {
  next: number;
  end: number;
}

/**
 * Jobs that threads take one after the other. Each has a share of neighbours, because neighbours have much in common that a
 * thread keeps; one that is through with its own takes half of what is left of the largest.
 */
export class JobShares<Taker> {
  private readonly shares = new Map<Taker, Share>();
  private readonly returned: Job[] = [];
  /** Jobs that nobody has taken. */
  size: number;

  constructor(private readonly jobs: readonly Job[]) {
    this.size = jobs.length;
  }

  /** Gives each its share of all. */
  shareOut(takers: readonly Taker[]): void {
    const at = (i: number): number => Math.floor((i * this.jobs.length) / takers.length);
    for (const [i, taker] of takers.entries()) this.shares.set(taker, { next: at(i), end: at(i + 1) });
  }

  /** The next job; null when none is left. */
  take(taker: Taker): Job | null {
    if (this.size === 0) return null;
    this.size--;
    const returned = this.returned.pop();
    if (returned !== undefined) return returned;
    let share = this.shares.get(taker);
    if (share === undefined || share.next === share.end) {
      share = this.halfOfLargest();
      this.shares.set(taker, share);
    }
    return this.jobs[share.next++]!;
  }

  /** Takes jobs back that were not done. */
  giveBack(jobs: readonly Job[]): void {
    this.returned.push(...[...jobs].reverse());
    this.size += jobs.length;
  }

  private halfOfLargest(): Share {
    let largest: Share = { next: 0, end: 0 };
    for (const share of this.shares.values())
      if (share.end - share.next > largest.end - largest.next) largest = share;
    const half = { next: (largest.next + largest.end) >> 1, end: largest.end };
    largest.end = half.next;
    return half;
  }
}
