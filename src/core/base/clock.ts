/** Time in whole milliseconds; it only moves forward. */
export interface Clock {
  readonly now: number;
  /** Moves to a time; an earlier one leaves the clock where it is. A clock that cannot be moved says when the time has come. */
  advanceTo(timeMs: number): void | Promise<void>;
}

export const MS_PER_SECOND = 1_000;
export const MS_PER_MINUTE = 60_000;
export const MS_PER_HOUR = 3_600_000;
