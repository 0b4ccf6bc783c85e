import { sum } from '../core/base/stats.js';
import type { PricedCalls } from '../core/run/recorded-bill.js';
import type { RunFacts } from './facts.js';

/** How far a run came through the calls of its transcript. */
export interface Completion {
  /** Calls of the transcript, without those of agents that another one had ended (C36). */
  readonly calls: number;
  readonly answered: number;
  /** Calls that could not take place; in a log without its end, those it does not hold as well. */
  readonly lost: number;
  /** Every call was answered, and there was one. */
  readonly finished: boolean;
  /** Why the first calls were lost; null where none were, or the log does not say. */
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
