import type {
  BreakCause,
  BreakdownEntry,
  RunEntry,
  SkippedEntry,
  WarningEntry,
} from '../core/run/run-log.js';
import type { CostInterval } from './cost-interval.js';
import type { FaultFacts, LayerTotals } from './layer-fold.js';
import type { LongTermFacts, StatusFacts } from './long-term-fold.js';
import type { RequestTotals } from './request-fold.js';

/** Cache breaks of one cause. */
export interface BreakFacts {
  readonly count: number;
  readonly lostTokens: number;
}

type BreaksByCause = Readonly<Partial<Record<BreakCause, BreakFacts>>>;

/** Everything a run's log says, added up: plain JSON whose size depends on threads and names, not on requests. */
export interface RunFacts extends RequestTotals, LayerTotals {
  readonly run: RunEntry | null;
  /** The log has its last line. */
  readonly complete: boolean;
  readonly durationMs: number | null;
  /** The 90 % interval of the cost under unpredictable cache breaks; null where none are known. Nano-dollars. */
  readonly costInterval: CostInterval | null;
  /** Cache breaks by cause, and by whether a layer announced them (BRD-3). */
  readonly breaks: { readonly unexpected: BreaksByCause; readonly expected: BreaksByCause };
  readonly requestsRefused: number;
  readonly refusals: Readonly<Record<string, number>>;
  readonly callsLost: number;
  /** Recorded calls of agents that another agent had ended: neither answered nor lost (C36). */
  readonly callsNotMade: number;
  /** Why the first of them were lost; null when none were. */
  readonly lostReason: string | null;
  /** What clients showed of their main conversations (WIN-5); null where no window was known. */
  readonly status: StatusFacts | null;
  readonly notices: Readonly<Record<string, number>>;
  /** What calls needed and their context no longer held; null where the transcript has no text. */
  readonly faults: FaultFacts | null;
  /** Tokens by the rough estimate and in truth; null when the log holds no breakdown (TOK-10). */
  readonly estimator: { readonly heuristic: number; readonly true: number } | null;
  /** Forks, memories, dreams and messages between agents. */
  readonly longTerm: LongTermFacts;
  readonly breakdowns: readonly BreakdownEntry[];
  readonly skipped: readonly SkippedEntry[];
  readonly warnings: readonly WarningEntry[];
}
