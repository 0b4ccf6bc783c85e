import { MS_PER_HOUR, MS_PER_MINUTE, MS_PER_SECOND } from '../../core/base/clock.js';

/** The unit a time axis is written in. */
export interface TimeUnit {
  readonly title: string;
  readonly ms: number;
}

const UNITS: readonly TimeUnit[] = [
  { title: 'simulated time (days)', ms: 24 * MS_PER_HOUR },
  { title: 'simulated time (hours)', ms: MS_PER_HOUR },
  { title: 'simulated time (minutes)', ms: MS_PER_MINUTE },
  { title: 'simulated time (seconds)', ms: MS_PER_SECOND },
];

/** The largest unit that a span holds at least two of; seconds for the shortest. */
export function timeUnit(spanMs: number): TimeUnit {
  return UNITS.find(({ ms }) => spanMs >= 2 * ms) ?? UNITS.at(-1)!;
}

/** A time in a unit, rounded to what a picture can show. */
export function inUnit(timeMs: number, unit: TimeUnit): number {
  return Number((timeMs / unit.ms).toFixed(4));
}
