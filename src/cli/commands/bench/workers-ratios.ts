import type { SweepTimes } from './contender.js';
import type { RatioResult } from './result.js';

/** How many points a sweep had, warm and cold, and turns each. */
interface SweepSize {
  readonly points: number;
  readonly coldPoints: number;
  readonly turns: number;
}

/** How much faster sweeps are on two threads than on one, with threads that are warm and with their start. */
export function workersRatios(
  one: SweepTimes,
  two: SweepTimes,
  { points, coldPoints, turns }: SweepSize,
): readonly RatioResult[] {
  const rate = Math.round((points * turns) / (two.warmMs / 1_000));
  return [
    {
      name: 'workers',
      ratio: one.warmMs / two.warmMs,
      promised: 1.8,
      detail: `${points} points of ${turns} turns on warm threads: ${one.warmMs.toFixed(0)} ms on one worker, ${two.warmMs.toFixed(0)} ms on two (${rate} turns/s); processor time ${one.busyMs.toFixed(0)} and ${two.busyMs.toFixed(0)} ms`,
    },
    {
      name: 'workers-cold',
      ratio: one.coldMs / two.coldMs,
      promised: 1.8,
      detail: `${coldPoints} points of ${turns} turns with the start of the threads: ${one.coldMs.toFixed(0)} ms on one worker, ${two.coldMs.toFixed(0)} ms on two; first result after ${one.firstResultMs.toFixed(0)} and ${two.firstResultMs.toFixed(0)} ms, and each thread compiles the hot code for itself`,
    },
  ];
}
