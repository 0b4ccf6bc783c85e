import { groupBy } from '../../core/base/groups.js';
import { createRandom } from '../../core/base/random.js';
import { quantile, ratio, sum } from '../../core/base/stats.js';
import { usd } from '../../metrics/metric.js';

/** A session as far as it is compared with others. */
export interface AlikeSession {
  /** Sessions are compared within a stratum alone: alike in size and kind. */
  readonly stratum: string;
  readonly side: 'before' | 'after';
  readonly nano: number;
  /** Requests, turns or tokens that the cost is spread over. */
  readonly units: number;
}

/** Sessions on each side that have their like on the other. */
export interface AlikeCount {
  readonly before: number;
  readonly after: number;
}

/** What a unit costs on two sides, over alike sessions. */
export interface Compared {
  readonly name: string;
  readonly beforeUsd: number | null;
  readonly afterUsd: number | null;
  /** How much more the second side costs, as a share of the first, with its 90 % interval; null if it cannot be told. */
  readonly difference: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly alike: AlikeCount;
  readonly verdict: 'more' | 'less' | 'no-difference' | 'cannot-tell';
}

/** Fewer sessions of a stratum on a side say nothing of how much they vary. */
const LEAST_IN_STRATUM = 2;
/** Fewer alike sessions on a side tell nothing. */
const LEAST_ALIKE = 5;
const ROUNDS = 1_000;
const TAIL = 0.05;

interface Stratum {
  readonly before: readonly AlikeSession[];
  readonly after: readonly AlikeSession[];
  /** Units of both sides: what it counts for. */
  readonly weight: number;
}

/** Costs per unit on both sides, as if both had the sessions of all strata. */
interface Rates {
  readonly before: number;
  readonly after: number;
}

function strataOf(sessions: readonly AlikeSession[]): readonly Stratum[] {
  const used = sessions.filter(({ units }) => units > 0);
  return [...groupBy(used, ({ stratum }) => stratum)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, own]) => {
      // What is drawn must not depend on the order in which files were found.
      own.sort((a, b) => a.units - b.units || a.nano - b.nano);
      const on = (side: AlikeSession['side']) => own.filter((session) => session.side === side);
      return { before: on('before'), after: on('after'), weight: sum(own.map(({ units }) => units)) };
    })
    .filter(({ before, after }) => Math.min(before.length, after.length) >= LEAST_IN_STRATUM);
}

function rateOf(sessions: readonly AlikeSession[]): number {
  let [nano, units] = [0, 0];
  for (const session of sessions) {
    nano += session.nano;
    units += session.units;
  }
  return nano / units;
}

function ratesOf(
  strata: readonly Stratum[],
  pick: (sessions: readonly AlikeSession[]) => readonly AlikeSession[] = (sessions) => sessions,
): Rates {
  let [before, after, weight] = [0, 0, 0];
  for (const stratum of strata) {
    before += rateOf(pick(stratum.before)) * stratum.weight;
    after += rateOf(pick(stratum.after)) * stratum.weight;
    weight += stratum.weight;
  }
  return { before: before / weight, after: after / weight };
}

function verdictOf(low: number, high: number): Compared['verdict'] {
  if (low > 0) return 'more';
  return high < 0 ? 'less' : 'no-difference';
}

/**
 * Compares what a unit costs on two sides. Strata that one side lacks are left out; the others count by their units. The interval is a
 * bootstrap over sessions within each stratum and side; one fewer than there are is drawn, so that few sessions do not look too certain.
 */
export function compareAlike(name: string, sessions: readonly AlikeSession[]): Compared {
  const strata = strataOf(sessions);
  const alike = {
    before: sum(strata.map(({ before }) => before.length)),
    after: sum(strata.map(({ after }) => after.length)),
  };
  const unknown = { difference: null, low: null, high: null, alike, verdict: 'cannot-tell' } as const;
  if (Math.min(alike.before, alike.after) < LEAST_ALIKE)
    return { name, beforeUsd: null, afterUsd: null, ...unknown };
  const { before, after } = ratesOf(strata);
  const sides = { name, beforeUsd: usd(before), afterUsd: usd(after) };
  const more = (rates: Rates): number | null => ratio(rates.after - rates.before, rates.before);
  const difference = more({ before, after });
  const random = createRandom('alike sessions').split(name);
  const drawn = Array.from({ length: ROUNDS }, () =>
    more(ratesOf(strata, (own) => own.slice(1).map(() => random.pick(own)))),
  );
  const known = drawn.filter((each) => each !== null);
  if (difference === null || known.length < ROUNDS) return { ...sides, ...unknown };
  const [low, high] = [quantile(known, TAIL)!, quantile(known, 1 - TAIL)!];
  return { ...sides, difference, low, high, alike, verdict: verdictOf(low, high) };
}
