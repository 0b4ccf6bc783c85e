import type { Transcript } from '../../core/model/transcript.js';
import type { LogSink } from '../../core/run/run-log.js';
import type { RunPlan } from '../../core/run/run-plan.js';
import { replayParts } from '../run/replay.js';
import { OpenShape } from './open-shape.js';
import { isSumming, type RunTrace, SharedRun } from './shared-run.js';

/** What is kept of runs per transcript, in entries or parts of them: about thirty megabytes where they are summed up. */
const MAX_ITEMS = 200_000;

/** What is kept of traces per transcript, in entries that they and their checkpoints hold: some tens of megabytes. */
const MAX_TRACE_ITEMS = 100_000;

/** Shapes remembered per transcript, those met only once included. */
const MAX_SHAPES = 64;

/** The runs of one shape, those used last behind the others. */
interface PlanGroup {
  readonly shape: OpenShape;
  readonly runs: SharedRun[];
  /** The trace of the run that was made last. */
  trace: RunTrace | null;
}

/** The runs over a transcript, the shapes used last in front. */
class RunCache {
  private readonly groups: PlanGroup[] = [];
  private items = 0;

  /** The runs of plans of a shape; null when it is met for the first time. */
  groupOf(plan: RunPlan): PlanGroup | null {
    const { groups } = this;
    const at = groups.findIndex(({ shape }) => shape.fits(plan));
    if (at < 0) {
      groups.unshift({ shape: new OpenShape(plan), runs: [], trace: null });
      for (const run of groups.length > MAX_SHAPES ? groups.pop()!.runs : []) this.items -= run.size;
      return null;
    }
    const group = groups[at]!;
    if (at > 0) {
      groups.splice(at, 1);
      groups.unshift(group);
    }
    return group;
  }

  /** Keeps the trace of the run that was made last, and forgets those of shapes that were not used for longest. */
  keepTrace(trace: RunTrace | null, group: PlanGroup): void {
    group.trace = trace;
    let items = 0;
    for (const other of this.groups) {
      items += other.trace?.size ?? 0;
      if (items > MAX_TRACE_ITEMS) other.trace = null;
    }
  }

  /** Keeps a run, and forgets those that were not used for longest. */
  add(run: SharedRun, group: PlanGroup): void {
    if (run.size > MAX_ITEMS || !this.groups.includes(group)) return;
    group.runs.push(run);
    this.items += run.size;
    for (let i = this.groups.length - 1; i >= 0; i--) {
      const { runs } = this.groups[i]!;
      while (this.items > MAX_ITEMS && runs.length > 0) this.items -= runs.shift()!.size;
    }
  }
}

/** Runs whose entries were kept, and runs that were summed up. */
const caches = { entries: new WeakMap<Transcript, RunCache>(), sum: new WeakMap<Transcript, RunCache>() };

/**
 * Replays a plan, or writes the log of another plan's run in which the same happens. From the second plan of a shape on the runs
 * are kept.
 */
export function* sharedParts(
  plan: RunPlan,
  transcript: Transcript,
  sink: LogSink,
): Generator<void, void, void> {
  const keeps = isSumming(sink) ? 'sum' : 'entries';
  const cache = cacheOf(transcript, keeps);
  const group = cache.groupOf(plan);
  if (group === null) {
    yield* replayParts(plan, transcript, sink);
    return;
  }
  const { runs } = group;
  const known = new Map<string, number>();
  for (let i = runs.length - 1; i >= 0; i--) {
    const run = runs[i]!;
    const limits = run.limitsUnder(plan, known);
    if (limits === null) continue;
    runs.splice(i, 1);
    runs.push(run);
    yield* run.logFor(plan, limits, sink);
    return;
  }
  const run = new SharedRun(plan, keeps);
  const fork = group.trace?.forkPointFor(plan, known) ?? null;
  group.trace = null; // a checkpoint is resumed once, and may be stopped before its end
  const recording = fork === null ? run.record(transcript, sink) : run.recordFrom(fork, transcript, sink);
  cache.keepTrace(yield* recording, group);
  cache.add(run, group);
}

function cacheOf(transcript: Transcript, keeps: keyof typeof caches): RunCache {
  let cache = caches[keeps].get(transcript);
  if (cache === undefined) {
    cache = new RunCache();
    caches[keeps].set(transcript, cache);
  }
  return cache;
}
