/** What flattening had to mend so that the API would take the request (FLT-4). */
export interface Repairs {
  /** Results without a call: removed. */
  readonly orphanResults: number;
  /** Calls without a result: answered by a marker. */
  readonly missingResults: number;
  /** Conversations that began with the assistant: a marker put in front. */
  readonly leadingMarkers: number;
}

/** Counts repairs, and knows which of them were told already. */
export class RepairCount {
  private readonly counts = { orphanResults: 0, missingResults: 0, leadingMarkers: 0 };
  private told: Repairs = { orphanResults: 0, missingResults: 0, leadingMarkers: 0 };

  /** Counts on from where another count stands. */
  adopt(other: RepairCount): void {
    Object.assign(this.counts, other.counts);
    this.told = other.told;
  }

  add(what: keyof Repairs, count: number): void {
    this.counts[what] += count;
  }

  /** Repairs so far. */
  get all(): Repairs {
    return { ...this.counts };
  }

  /** Repairs since this was last asked; null when there were none (C37). */
  take(): Repairs | null {
    const { counts, told } = this;
    const orphanResults = counts.orphanResults - told.orphanResults;
    const missingResults = counts.missingResults - told.missingResults;
    const leadingMarkers = counts.leadingMarkers - told.leadingMarkers;
    if (orphanResults + missingResults + leadingMarkers === 0) return null;
    this.told = this.all;
    return { orphanResults, missingResults, leadingMarkers };
  }
}
