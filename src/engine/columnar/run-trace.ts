import type { Transcript } from '../../core/model/transcript.js';
import type { LogEntry, RunEntry } from '../../core/run/run-log.js';
import type { RunPlan } from '../../core/run/run-plan.js';
import type { StatusCheck } from '../requests/shown-status.js';
import { Checkpoint } from '../run/checkpoint.js';
import type { ThreadRun } from '../thread/thread-run.js';

/** What a run logged; what its client could show replaces what it showed. */
export type TraceItem = LogEntry | StatusCheck;

/** Where the run of another plan leaves a trace. */
export interface ForkPoint {
  readonly trace: RunTrace;
  /** What both runs logged up to there, the entry of the run left out. */
  readonly prefix: readonly TraceItem[];
  readonly checkpoint: Checkpoint;
  /** The limits of the plan by those of the trace. */
  readonly limits: ReadonlyMap<number, number>;
}

/**
 * The trace of a run: what it logged, and checkpoints from before a limit was met. A plan whose limits are higher leaves it at the
 * first count they are above, so checkpoints are worth keeping only where a count is lower than all before.
 */
export class RunTrace {
  run: RunEntry | null = null;
  private readonly items: TraceItem[] = [];
  private checkpoints: { readonly at: number; readonly checkpoint: Checkpoint }[] = [];

  /** What it takes to keep it, in entries: a checkpoint holds about as much as was logged up to it. */
  get size(): number {
    return this.checkpoints.reduce((items, { at }) => items + at, this.items.length);
  }

  add(item: TraceItem): void {
    if (item.type === 'run') this.run = item;
    else this.items.push(item);
  }

  /** A limit is about to be met by a count that is lower than all before. */
  addCheckpoint(run: ThreadRun, transcript: Transcript, layer: number): void {
    const checkpoint = Checkpoint.of(run, transcript, layer);
    if (checkpoint !== null) this.checkpoints.push({ at: this.items.length, checkpoint });
  }

  /** The last checkpoint up to which a plan runs the same; null where there is none. */
  forkPointFor(plan: RunPlan, known: Map<string, number>): ForkPoint | null {
    for (let i = this.checkpoints.length - 1; i >= 0; i--) {
      const { at, checkpoint } = this.checkpoints[i]!;
      const limits = checkpoint.limits.under(plan.policy, known);
      if (limits !== null) return { trace: this, prefix: this.items.slice(0, at), checkpoint, limits };
    }
    return null;
  }

  /** The trace of another plan, which shares the checkpoints of this one before its fork point. */
  upTo({ checkpoint, prefix }: ForkPoint, { policy }: RunPlan): RunTrace {
    const trace = new RunTrace();
    trace.checkpoints = this.checkpoints.filter(
      (other) => other.at <= prefix.length && other.checkpoint !== checkpoint,
    );
    for (const other of trace.checkpoints) other.checkpoint.limits.become(policy);
    return trace;
  }
}
