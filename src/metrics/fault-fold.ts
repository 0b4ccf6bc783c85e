import type { EndEntry, FaultEntry } from '../core/run/run-log.js';
import { chanceUnder, SURVIVALS, type Survival } from '../core/run/run-plan.js';

/** What calls needed and their context no longer held. Counts by chance are not whole. */
export interface FaultFacts extends Readonly<Record<Survival, number>> {
  /** What fetching again brings and costs at once, under the survival of the plan; nano-dollars. */
  readonly refetchTokens: number;
  readonly refetchNano: number;
  /** The same where summaries tell nothing. */
  readonly refetchMostNano: number;
  /** Text that nobody can fetch, under the survival of the plan. */
  readonly lost: number;
  /** The largest that nobody can fetch, and the most expensive of the others, ten of each at most: what shows the need is quoted. */
  readonly quoted: readonly FaultEntry[];
  /** The fewest that any choice of what to keep has in the same window; null where nothing was missed, and in older logs. */
  readonly least: number | null;
  /** The least that fetching again brings and costs in it, under the survival of the plan; likewise null. */
  readonly leastRefetchTokens: number | null;
  readonly leastRefetchNano: number | null;
}

/** Faults of a kind that are quoted. */
const MOST_QUOTED = 10;

/** Adds up the faults of a run. */
export class FaultFold {
  readonly #facts = {
    none: 0,
    all: 0,
    fitted: 0,
    refetchTokens: 0,
    refetchNano: 0,
    refetchMostNano: 0,
    lost: 0,
  };

  /** Faults by whether anybody can fetch what is missing, the largest first. */
  readonly #quoted: Readonly<Record<'lost' | 'fetched', FaultEntry[]>> = { lost: [], fetched: [] };

  add(entry: FaultEntry): void {
    const { kind, use, chance, weight, tokens, cost } = entry;
    const facts = this.#facts;
    const quoted = this.#quoted[kind === 'lost' ? 'lost' : 'fetched'];
    const at = quoted.findIndex(
      (other) => other.cost < cost || (other.cost === cost && other.tokens < tokens),
    );
    quoted.splice(at === -1 ? quoted.length : at, 0, entry);
    quoted.length = Math.min(quoted.length, MOST_QUOTED);
    for (const each of SURVIVALS) facts[each] += chanceUnder(each, chance);
    if (kind === 'lost') facts.lost += weight;
    // What the recording reads again is part of every run over it.
    else if (use !== 'reread') {
      facts.refetchTokens += weight * tokens;
      facts.refetchNano += weight * cost;
      facts.refetchMostNano += cost;
    }
  }

  finish(end: EndEntry | null): FaultFacts {
    return {
      ...this.#facts,
      quoted: [...this.#quoted.lost, ...this.#quoted.fetched],
      least: end?.leastFaults ?? null,
      leastRefetchTokens: end?.leastRefetchTokens ?? null,
      leastRefetchNano: end?.leastRefetchCost ?? null,
    };
  }
}
