import type { ParamValues } from '../../model/params.js';
import type { Moment } from '../../model/tier.js';
import { param } from '../param-reader.js';

/** What a thread remembers of its compactions: failures in a row, the chain, refills (BRK-1, BRK-4, LOP-2). */
export class CompactionHistory {
  /** Consecutive failed automatic attempts. */
  failures = 0;
  /** Prompt in which the latest of them happened. */
  failurePrompt = -1;
  private lastTurn: number | null = null;
  private refills = 0;

  /** What is told of the trigger (BRK-4). */
  track(moment: Moment, seen: number, threshold: number): Readonly<Record<string, unknown>> {
    const turnsSince = this.lastTurn === null ? null : moment.turn - this.lastTurn;
    return {
      chained: turnsSince !== null && turnsSince <= 1,
      thrash: turnsSince !== null && turnsSince <= 1,
      turnsSincePrevious: turnsSince,
      previousTurn: this.lastTurn,
      threshold,
      overshoot: Math.max(0, seen - threshold),
      source: moment.source,
    };
  }

  /** True when the context has filled up again at once after too many compactions. Called once per trigger. */
  isThrashing(turn: number, params: ParamValues): boolean {
    const max = param.numberOrNull(params, 'thrash.maxRefills');
    if (max === null || this.lastTurn === null) return false;
    const refilled = turn - this.lastTurn <= param.number(params, 'thrash.withinTurns');
    return (refilled ? this.refills + 1 : 0) >= max;
  }

  succeeded(turn: number): void {
    this.failures = 0;
    this.lastTurn = turn;
  }

  /** Takes note of how soon the context filled up again; called when a compaction is tried. */
  noteRefill(turn: number, withinTurns: number): void {
    if (this.lastTurn === null) return;
    this.refills = turn - this.lastTurn <= withinTurns ? this.refills + 1 : 0;
  }

  failed(prompt: number): void {
    this.failures++;
    this.failurePrompt = prompt;
  }

  /** A new process knows nothing of the old one's failures. */
  restart(): void {
    this.failures = 0;
    this.refills = 0;
  }
}

const KEY = 'compaction-history';

/** The history of a thread, shared by its tiers. */
export function compactionHistory(shared: Map<string, unknown>): CompactionHistory {
  let history = shared.get(KEY) as CompactionHistory | undefined;
  if (history === undefined) {
    history = new CompactionHistory();
    shared.set(KEY, history);
  }
  return history;
}
