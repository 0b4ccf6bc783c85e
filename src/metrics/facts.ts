import { sum } from '../core/base/stats.js';
import type { BreakCause } from '../core/run/break-causes.js';
import type { PricedCalls } from '../core/run/recorded-bill.js';
import type { BreakdownEntry, RunEntry, SkippedEntry, WarningEntry } from '../core/run/run-log.js';
import type { CostInterval } from './cost-interval.js';
import type { FaultFacts, LayerTotals } from './layer-fold.js';
import type { LongTermFacts, StatusFacts } from './long-term-fold.js';
import type { RequestTotals } from './request-fold.js';

/** How far a run came through the calls of its transcript. */
interface Completion {
  /** Calls of the transcript, without those of agents that another one had ended (C36). */
  readonly calls: number;
  readonly answered: number;
  /** Calls that could not take place; in a log without its end, those it does not hold as well. */
  readonly lost: number;
  /** Every call was answered, and there was one. */
  readonly finished: boolean;
  /** Why the first calls were lost; null if none were, or the log does not say. */
  readonly reason: string | null;
}

/** How far a run came: calls of the loops, without the requests that layers make. */
export function completionOf(facts: RunFacts): Completion {
  const { main, subagent } = facts.byPurpose;
  const answered = main.calls + subagent.calls;
  const seen = answered + facts.callsLost;
  const wanted = (facts.run?.transcript.calls ?? 0) - facts.callsNotMade;
  const calls = facts.complete ? seen : Math.max(seen, wanted);
  return {
    calls,
    answered,
    lost: calls - answered,
    finished: facts.complete && answered > 0 && answered === calls,
    reason: facts.lostReason,
  };
}

/** The code of the warning that counts answered requests whose model has no price. */
const NO_PRICE = 'no-price';

/** How many answered requests the cost of a run is of, and how many of them have no price. */
export function pricedCalls({ requests, warnings }: Pick<RunFacts, 'requests' | 'warnings'>): PricedCalls {
  const unpriced = warnings.filter(({ code }) => code === NO_PRICE).map(({ count }) => count);
  return { calls: requests.calls, unpricedCalls: sum(unpriced) };
}

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
  /** The 90 % interval of the cost under unpredictable cache breaks; null if none are known. Nano-dollars. */
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
  /** What clients showed of their main conversations (WIN-5); null if no window was known. */
  readonly status: StatusFacts | null;
  readonly notices: Readonly<Record<string, number>>;
  /** What calls needed and their context no longer held; null if the transcript has no text. */
  readonly faults: FaultFacts | null;
  /** Tokens by the rough estimate and in truth; null when the log holds no breakdown (TOK-10). */
  readonly estimator: { readonly heuristic: number; readonly true: number } | null;
  /** Forks, memories, dreams and messages between agents. */
  readonly longTerm: LongTermFacts;
  readonly breakdowns: readonly BreakdownEntry[];
  readonly skipped: readonly SkippedEntry[];
  readonly warnings: readonly WarningEntry[];
}
