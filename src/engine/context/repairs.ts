/** What flattening had to mend so that the API would take the request (FLT-4). */
export interface Repairs {
  /** Results without a call: removed. */
  readonly orphanResults: number;
  /** Calls without a result: answered by a marker. */
  readonly missingResults: number;
  /** Conversations that began with the assistant: a marker put in front. */
  readonly leadingMarkers: number;
}

const NO_REPAIRS: Repairs = { orphanResults: 0, missingResults: 0, leadingMarkers: 0 };

/** Counts repairs, and knows which of them were reported already. */
export class RepairCount {
  /** Repairs so far, and those of them that were reported. */
  all = NO_REPAIRS;
  private reported = NO_REPAIRS;

  add(what: keyof Repairs, count: number): void {
    this.all = { ...this.all, [what]: this.all[what] + count };
  }

  /** Repairs since this was last asked; null when there were none (C37). */
  take(): Repairs | null {
    const { all, reported } = this;
    const orphanResults = all.orphanResults - reported.orphanResults;
    const missingResults = all.missingResults - reported.missingResults;
    const leadingMarkers = all.leadingMarkers - reported.leadingMarkers;
    if (orphanResults + missingResults + leadingMarkers === 0) return null;
    this.reported = all;
    return { orphanResults, missingResults, leadingMarkers };
  }
}
