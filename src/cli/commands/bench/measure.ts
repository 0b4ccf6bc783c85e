import { performance } from 'node:perf_hooks';
import { quantile } from '../../../core/base/stats.js';
import type { Transcript } from '../../../core/model/transcript.js';
import type { LogEntry } from '../../../core/run/run-log.js';
import type { RunPlan } from '../../../core/run/run-plan.js';
import { replay } from '../../../engine/run/replay.js';
import { createMetricsFold } from '../../../metrics/fold.js';

/** Times of one contender over the rounds, in milliseconds. */
export interface Times {
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
}

/** Milliseconds one call takes. */
export function timeOf(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

/** Milliseconds of processor time one call takes, all threads of the process together: other work on the machine counts less. */
export function processorTimeOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** Replays plans by the engine or another road, their metrics included. */
export function foldAll(road: typeof replay, plans: readonly RunPlan[], transcript: Transcript): void {
  for (const plan of plans) {
    const fold = createMetricsFold();
    road(plan, transcript, fold);
    fold.finish();
  }
}

/** Entries of a kind in the log of a run. */
export function countEntries(
  plan: RunPlan,
  transcript: Transcript,
  isCounted: (entry: LogEntry) => boolean,
): number {
  let count = 0;
  replay(plan, transcript, {
    write(entry) {
      if (isCounted(entry)) count++;
    },
  });
  return count;
}

/** How often contenders run before they are timed, and while they are. */
export interface Rounds {
  readonly untimed: number;
  readonly timed: number;
}

/** Times contenders in turns, one after another in every round, so that a busy machine slows all of them alike. */
export function interleave(
  contenders: readonly (() => void)[],
  rounds: number | Rounds,
  clock: (work: () => void) => number = timeOf,
): readonly Times[] {
  const { untimed, timed } = typeof rounds === 'number' ? { untimed: 1, timed: rounds } : rounds;
  for (let round = 0; round < untimed; round++) for (const contender of contenders) contender();
  const times = contenders.map(() => [] as number[]);
  for (let round = 0; round < timed; round++) {
    contenders.forEach((contender, i) => {
      times[i]!.push(clock(contender));
    });
  }
  return times.map((list) => ({
    median: quantile(list, 0.5)!,
    lowest: quantile(list, 0)!,
    highest: quantile(list, 1)!,
  }));
}

/** Exponent of growth: the slope of log(time) over log(size), by least squares. 1 is linear. */
export function growthExponent(points: readonly { readonly size: number; readonly ms: number }[]): number {
  const xs = points.map((point) => Math.log(point.size));
  const ys = points.map((point) => Math.log(Math.max(point.ms, 1e-9)));
  const meanX = xs.reduce((a, b) => a + b, 0) / xs.length;
  const meanY = ys.reduce((a, b) => a + b, 0) / ys.length;
  let above = 0;
  let below = 0;
  xs.forEach((x, i) => {
    above += (x - meanX) * (ys[i]! - meanY);
    below += (x - meanX) ** 2;
  });
  return below === 0 ? 0 : above / below;
}
