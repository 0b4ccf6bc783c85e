import { entryOf } from '../../../core/base/once.js';
import { askedBy } from '../../../core/model/transcript.js';
import type { HookContext } from '../../../core/run/layer.js';
import type { Limit } from '../../../core/run/limit.js';
import type { ParamValues } from '../../../core/run/params.js';
import { param } from '../support/param-reader.js';

/** What a thread remembers of its compactions: failures in a row, the chain, refills (BRK-1, BRK-4, LOP-2). */
export class CompactionHistory {
  /** Consecutive failed automatic attempts. */
  failures = 0;
  /** Prompt in which the latest of them happened. */
  failurePrompt = -1;
  private lastTurn: number | null = null;
  /** Compactions in a row whose context filled up again at once. */
  private refills = 0;
  /** The latest compaction has been judged: it counts as one refill at most. */
  private judged = true;
  /** What was counted before results were cleared, and in which turn (R17). */
  private countedTurn = -1;
  private counted = 0;

  /** Turns since the latest compaction; null before the first. */
  turnsSince(turn: number): number | null {
    return this.lastTurn === null ? null : turn - this.lastTurn;
  }

  /** Details of the trigger for the report (BRK-4); the threshold is null if none fired it. A manual compaction is no thrash. */
  track(
    moment: HookContext,
    seen: number,
    threshold: Limit | null,
    params: ParamValues,
  ): Readonly<Record<string, unknown>> {
    const turnsSince = this.turnsSince(moment.turn);
    const isByHand = moment.point === 'manual' && askedBy(moment.manual).trigger === 'manual';
    return {
      chained: turnsSince !== null && turnsSince <= param.number(params, 'thrash.chainTurns'),
      thrash: turnsSince !== null && turnsSince <= 1 && !isByHand, // C37
      turnsSincePrevious: turnsSince,
      previousTurn: this.lastTurn,
      threshold: threshold?.value ?? null,
      overshoot: threshold === null ? null : threshold.isMetBy(seen) ? seen - threshold.value : 0, // WIN-8
      source: moment.source,
    };
  }

  /** True when too many compactions in a row were refilled at once. Asked at each trigger. */
  isThrashing(turn: number, params: ParamValues): boolean {
    if (this.lastTurn !== null && !this.judged) {
      this.judged = true;
      const refilled = turn - this.lastTurn <= param.number(params, 'thrash.withinTurns');
      this.refills = refilled ? this.refills + 1 : 0;
    }
    const max = param.numberOrNull(params, 'thrash.maxRefills');
    return max !== null && this.refills >= max;
  }

  /** Results are about to be cleared: this was counted with them. */
  noteCount(turn: number, tokens: number): void {
    if (this.countedTurn === turn) return;
    this.countedTurn = turn;
    this.counted = tokens;
  }

  /** The count of a turn with what was cleared in it: the usage that the API reported last still holds it. */
  countWith(turn: number, tokens: number): number {
    return this.countedTurn === turn ? Math.max(tokens, this.counted) : tokens;
  }

  succeeded(turn: number): void {
    this.failures = 0;
    this.replaced(turn);
  }

  /** The history was shortened without a summary: that is no success of the summariser. */
  replaced(turn: number): void {
    this.lastTurn = turn;
    this.judged = false;
    this.countedTurn = -1;
  }

  /** A new process knows nothing of the old one's failures. */
  restart(): void {
    this.failures = 0;
    this.refills = 0;
  }
}

/** The history of a thread, shared by its layers. */
export function compactionHistory(shared: Map<string, unknown>): CompactionHistory {
  return entryOf(shared, 'compaction-history', () => new CompactionHistory());
}
