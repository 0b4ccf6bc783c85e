/** Time in whole milliseconds; it only moves forward. */
export interface Clock {
  readonly now: number;
  /** Moves to a time; an earlier one leaves the clock where it is. A clock that cannot be moved says when the time has come. */
  advanceTo(timeMs: number): void | Promise<void>;
}

export const MS_PER_SECOND = 1_000;
export const MS_PER_MINUTE = 60_000;
export const MS_PER_HOUR = 3_600_000;
export const MS_PER_DAY = 86_400_000;

/** The first moment of a day in UTC, ms since 1970; null for a text that is no day of the form 2026-07-01. */
export function dayStartMs(day: string): number | null {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  return Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== day ? null : ms;
}

/** Whole days from one day to a moment. */
export function daysSince(day: string, ms: number): number {
  return Math.floor((ms - dayStartMs(day)!) / MS_PER_DAY);
}
