import type {
  BreakCause,
  BreakdownEntry,
  Layer,
  RunEntry,
  SkippedEntry,
  WarningEntry,
} from '../core/run/run-log.js';
import type { CallPurpose } from '../core/run/run-plan.js';
import type { CostInterval } from './cost-interval.js';
import type { LongTermFacts } from './long-term-fold.js';
import type { SavedFacts, SavedTotals } from './saved-fold.js';
import type { StatusFacts } from './status-fold.js';

/** Sums over a group of answered requests. Money is in whole nano-dollars. */
export interface RequestFacts {
  readonly calls: number;
  readonly promptTokens: number;
  readonly readTokens: number;
  readonly write5mTokens: number;
  readonly write1hTokens: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly latencyMs: number;
  readonly costNanoUsd: number;
}

/** Three ways to split one total; each adds up to it exactly (INV-5). Nano-dollars. */
export interface CostFacts {
  readonly total: number;
  /** `carry` (cache reads), `new` (writes and input of fresh content), `rewrite:<cause>`, `output`. */
  readonly byCause: Readonly<Record<string, number>>;
  /** By the purpose of the call. */
  readonly byLayer: Readonly<Record<CallPurpose, number>>;
  readonly byThread: Readonly<Record<string, number>>;
}

/** What one layer did over the run. */
export interface LayerFacts extends SavedFacts {
  /** Entries of the layer: done + failed + declined. */
  readonly triggers: number;
  readonly done: number;
  readonly failed: number;
  readonly declined: number;
  readonly cacheLost: number;
  readonly calls: number;
  readonly costNanoUsd: number;
}

/** What one rule of a policy file did over the run. */
export interface RuleFacts {
  readonly done: number;
  readonly failed: number;
  readonly declined: number;
}

/** Cache breaks of one cause. */
export interface BreakFacts {
  readonly count: number;
  readonly lostTokens: number;
}

/** Cache breaks by cause, told apart by whether a layer announced them (BRD-3). */
export interface BreaksFacts {
  readonly unexpected: Readonly<Partial<Record<BreakCause, BreakFacts>>>;
  readonly expected: Readonly<Partial<Record<BreakCause, BreakFacts>>>;
}

/** One conversation of the run. */
export interface ThreadFacts {
  readonly id: string;
  readonly parent: string | null;
  readonly label: string;
  readonly prefixTokens: number | null;
  readonly window: number | null;
  readonly calls: number;
  readonly turns: number;
  readonly costNanoUsd: number;
}

/** Compactions that were done, and how they relate to one another. */
export interface CompactionFacts {
  /** All of them: full, session-memory and reactive; each is one entry of the log. */
  readonly done: number;
  readonly full: number;
  readonly sessionMemory: number;
  readonly reactive: number;
  readonly failed: number;
  /** Part of a chain of compactions (BRK-4). */
  readonly chained: number;
  /** Not asked for by the user, and within one turn of the previous one (BRK-3). */
  readonly thrash: number;
}

/** Everything a run's log says, added up: plain JSON whose size depends on threads and names, not on requests. */
export interface RunFacts {
  readonly run: RunEntry | null;
  /** The log has its last line. */
  readonly complete: boolean;
  readonly turns: number;
  readonly durationMs: number | null;
  /** Requests by model. */
  readonly models: Readonly<Record<string, number>>;
  readonly threads: readonly ThreadFacts[];
  readonly requests: RequestFacts;
  readonly byPurpose: Readonly<Record<CallPurpose, RequestFacts>>;
  readonly cost: CostFacts;
  /** What breaks that nothing foretells may make of the cost; null where none are known. Nano-dollars. */
  readonly costInterval: CostInterval | null;
  readonly breaks: BreaksFacts;
  /** Largest prompt + output of the main loop; null without a request. */
  readonly peakContextTokens: number | null;
  /** Share of the session's own content the main loop's requests still held, averaged over them; null without data. */
  readonly keptContentShare: number | null;
  /** Largest distance past a trigger when it fired (WIN-8); null when no layer stated one. */
  readonly overshootTokens: number | null;
  readonly requestsRefused: number;
  readonly refusals: Readonly<Record<string, number>>;
  readonly callsLost: number;
  /** Recorded calls of agents that another agent had ended: neither answered nor lost (C36). */
  readonly callsNotMade: number;
  /** Why the first of them were lost; null when none were. */
  readonly lostReason: string | null;
  readonly layers: Readonly<Record<Layer, LayerFacts>>;
  /** By the name of the rule: those that acted. */
  readonly rules: Readonly<Record<string, RuleFacts>>;
  readonly failures: Readonly<Record<string, number>>;
  readonly breaker: { readonly trips: number; readonly skips: number; readonly resets: number };
  readonly compactions: CompactionFacts;
  /** Times the untouched context crossed the threshold and the real one never did, or only later (LOP-3). */
  readonly crossings: Pick<SavedTotals, 'prevented' | 'putOff'>;
  /** What clients showed of their main conversations (WIN-5); null where no window was known. */
  readonly status: StatusFacts | null;
  readonly storedResults: number;
  /** Files put back after compactions; null when no layer stated a number. */
  readonly restoredFiles: number | null;
  /** Tokens that hooks printed into contexts after compactions (C22). */
  readonly hookTokens: number;
  readonly notices: Readonly<Record<string, number>>;
  /** Tokens by the rough estimate and in truth; null when the log holds no breakdown (TOK-10). */
  readonly estimator: { readonly heuristic: number; readonly true: number } | null;
  /** Forks, memories, dreams and messages between agents. */
  readonly longTerm: LongTermFacts;
  readonly breakdowns: readonly BreakdownEntry[];
  readonly skipped: readonly SkippedEntry[];
  readonly warnings: readonly WarningEntry[];
}
