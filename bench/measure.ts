import { timeOf } from '../src/cli/commands/bench/measure.js';
import { benchTranscript } from '../src/cli/commands/bench/plan.js';
import { CcbenchError } from '../src/core/base/errors.js';
import { quantile } from '../src/core/base/stats.js';
import type { Transcript } from '../src/core/model/transcript.js';
import type { LogEntry } from '../src/core/run/run-log.js';
import type { RunPlan } from '../src/core/run/run-plan.js';
import { replay } from '../src/engine/run/replay.js';
import { createMetricsFold } from '../src/metrics/fold.js';
import { compileTranscript } from '../src/transcripts/compiled/compile-transcript.js';
import { loadCompiled } from '../src/transcripts/compiled/load-compiled.js';
import { memorySource } from '../src/transcripts/readers/claude-code/recorded-text.js';

/** Times of one contender over the rounds, in milliseconds. */
export interface Times {
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
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

/** A generated session out of its compiled form, as a run finds it in the cache. */
export function compiledTranscript(turns: number): Transcript {
  const generated = benchTranscript(turns);
  const loaded = loadCompiled(compileTranscript(generated), {
    id: generated.id,
    source: () => memorySource(new Uint8Array()),
  });
  if (loaded === null) throw new CcbenchError('internal', 'a transcript compiled here cannot be loaded');
  return loaded;
}
