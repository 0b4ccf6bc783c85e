import type { Transcript } from '../../core/model/transcript.js';
import type { LogEntry, RunEntry } from '../../core/run/run-log.js';
import type { RunPlan } from '../../core/run/run-plan.js';
import type { StatusCheck } from '../requests/shown-status.js';
import { PausedRun } from '../run/paused-run.js';
import type { ThreadRun } from '../thread/thread-run.js';

/** What a run told, with what its client could show in the place of what it showed. */
export type Told = LogEntry | StatusCheck;

/** A place on a way where another plan leaves it. */
export interface Branch {
  readonly way: Way;
  /** What both have told up to there, the entry of the run left out. */
  readonly told: readonly Told[];
  readonly paused: PausedRun;
  /** The limits of the plan by those of the way. */
  readonly limits: ReadonlyMap<number, number>;
}

/**
 * The way a run took: what it told, and copies of it from before a limit was met. A plan whose limits are higher leaves it at the
 * first count they are above, so that copies are worth keeping only where a count is lower than all before.
 */
export class Way {
  run: RunEntry | null = null;
  private told: Told[] = [];
  private pauses: { readonly at: number; readonly paused: PausedRun }[] = [];

  /** What it takes to keep it, in entries: a copy holds about as much as was told up to it. */
  get size(): number {
    return this.pauses.reduce((items, { at }) => items + at, this.told.length);
  }

  note(item: Told): void {
    if (item.type === 'run') this.run = item;
    else this.told.push(item);
  }

  /** A layer is about to act, or something to be told, by a count that is lower than all before. */
  pause(run: ThreadRun, transcript: Transcript, tier: number): void {
    const paused = PausedRun.of(run, transcript, tier);
    if (paused !== null) this.pauses.push({ at: this.told.length, paused });
  }

  /** The last place up to which a plan takes this way; null where there is none. */
  branchFor(plan: RunPlan, known: Map<string, number>): Branch | null {
    for (let i = this.pauses.length - 1; i >= 0; i--) {
      const { at, paused } = this.pauses[i]!;
      const limits = paused.limits.under(plan.policy, known);
      if (limits !== null) return { way: this, told: this.told.slice(0, at), paused, limits };
    }
    return null;
  }

  /** The way of another plan, which shares this one up to a branch, whose copy goes on. */
  upTo({ paused, told }: Branch, { policy }: RunPlan): Way {
    const way = new Way();
    way.pauses = this.pauses.filter((other) => other.at <= told.length && other.paused !== paused);
    for (const other of way.pauses) other.paused.limits.become(policy);
    return way;
  }
}
