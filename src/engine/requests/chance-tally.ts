import { createRandom, type Random } from '../../core/base/random.js';
import type { HitChance } from '../../core/run/provider.js';
import type { EndEntry } from '../../core/run/run-log.js';
import { chanceOfShort } from '../../provider/cache/cache-rules.js';
import type { HitOdds } from '../../provider/cache/prompt-cache.js';

/** Draws of a run's luck, and the ends that hold nine of ten. */
const DRAWS = 2_000;
const LOW = 0.05;
const HIGH = 0.95;

/** What comes up short adds to the cost of one session, for each factor that its odds may have. */
interface SessionSums {
  readonly means: number[];
  readonly variances: number[];
}

/**
 * What chance adds to the cost of a run: drawn once in the run itself, and as it would be over many draws. What is stored does not
 * depend on what was found, so requests are independent of one another but for the luck of their session.
 */
export class ChanceTally {
  readonly #sessions = new Map<number, SessionSums>();
  #lost = 0;

  /** A request that would cost so much more with nothing read than with all of it, and that this much was lost of. */
  add({ hit, gapMs, session }: HitOdds, allNano: number, lostNano: number): void {
    this.#lost += lostNano;
    let sums = this.#sessions.get(session);
    if (sums === undefined) {
      sums = { means: hit.sessions.map(() => 0), variances: hit.sessions.map(() => 0) };
      this.#sessions.set(session, sums);
    }
    const { first, second } = lostShares(hit);
    for (let i = 0; i < hit.sessions.length; i++) {
      const chance = chanceOfShort(hit, gapMs, hit.sessions[i]!);
      const mean = chance * first * allNano;
      sums.means[i]! += mean;
      sums.variances[i]! += chance * second * allNano * allNano - mean * mean;
    }
  }

  /** Null where chance had no say. */
  finish(): NonNullable<EndEntry['chance']> | null {
    if (this.#sessions.size === 0) return null;
    const random = createRandom('chance of a run');
    const all = [...this.#sessions.values()];
    let expected = 0;
    for (const { means } of all) expected += means.reduce((sum, mean) => sum + mean, 0) / means.length;
    const drawn = Array.from({ length: DRAWS }, () => {
      let sum = 0;
      for (const session of all) sum += drawSession(session, random);
      return sum;
    }).sort((a, b) => a - b);
    return {
      lost: Math.round(this.#lost),
      expected: Math.round(expected),
      low: Math.round(drawn[Math.floor(LOW * DRAWS)]!),
      high: Math.round(drawn[Math.ceil(HIGH * DRAWS) - 1]!),
    };
  }
}

/** Mean and mean square of the share that a request loses which comes up short. */
function lostShares({ partial }: HitChance): { readonly first: number; readonly second: number } {
  let first = 0;
  let second = 0;
  for (const share of partial) {
    first += 1 - share;
    second += (1 - share) ** 2;
  }
  return { first: first / partial.length, second: second / partial.length };
}

/** What one session loses: a factor at random, and a sum of many that is spread like a normal one, never below nothing. */
function drawSession({ means, variances }: SessionSums, random: Random): number {
  const i = Math.floor(random.next() * means.length);
  return Math.max(0, means[i]! + random.normal() * Math.sqrt(variances[i]!));
}
