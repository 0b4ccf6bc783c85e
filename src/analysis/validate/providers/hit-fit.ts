import { mean, quantile } from '../../../core/base/stats.js';
import type { HitChance } from '../../../core/run/provider.js';
import { survival } from '../../../provider/cache/cache-rules.js';
import type { ServableRequest } from './provider-requests.js';

/** Reads below this share of what could be read count as short. */
const SHORT_SHARE = 0.97;
/** A request counts by what it could read, in units of this many tokens: short ones are shorter than others, and cost is what is told. */
const WEIGHT_TOKENS = 100_000;
/** Steps of Newton's method; it settles within a dozen. */
const STEPS = 40;
/** Weight of requests, and of short ones, that a session is given before it is judged by its own. */
const PRIOR = 0.2;
/** Sessions a fit rests on are few: the spread between others is larger than between them. */
const WIDENING = 1.8;
const TENTHS = Array.from({ length: 10 }, (_, i) => (i + 0.5) / 10);

/** How a fit came about. */
export interface HitFit {
  readonly chance: HitChance;
  readonly requests: number;
  readonly short: number;
  /** Standard errors of the two parameters of the curve. */
  readonly errors: { readonly logOdds: number; readonly perLogSecond: number };
}

/** Whether a request read less than it could. */
export function isShort({ request, reachable }: ServableRequest): boolean {
  return request.read < SHORT_SHARE * reachable;
}

/** Whether a request tells of chance: what it could read was there, and lived. */
function isInformative({ cause, reachable, rules, gapMs }: ServableRequest): boolean {
  return cause === 'hit' && reachable > 0 && survival(rules.lifetime, gapMs) === 1;
}

function weightOf({ reachable }: ServableRequest): number {
  return reachable / WEIGHT_TOKENS;
}

function weightOfAll(requests: readonly ServableRequest[]): number {
  return requests.reduce((sum, each) => sum + weightOf(each), 0);
}

function logSeconds({ gapMs }: ServableRequest): number {
  return Math.log(Math.max(1, gapMs / 1_000));
}

/**
 * Fits the chance that requests come up short to sessions: the odds by the time since the last request (logistic, by Newton's
 * method, each request weighted by what it could read), what sessions differ by, and how much is read all the same. Null without a short request or without one that is not.
 */
export function fitHitChance(sessions: readonly (readonly ServableRequest[])[]): HitFit | null {
  const informative = sessions.map((requests) => requests.filter(isInformative));
  const all = informative.flat();
  const short = all.filter(isShort);
  if (short.length === 0 || short.length === all.length) return null;
  // Columns: every step goes through all requests.
  const logs = Float64Array.from(all, logSeconds);
  const weights = Float64Array.from(all, weightOf);
  const shorts = Float64Array.from(all, (each) => Number(isShort(each)));
  let a = Math.log(weightOfAll(short) / (weightOfAll(all) - weightOfAll(short)));
  let b = 0;
  let information = [0, 0, 0];
  for (let step = 0; step < STEPS; step++) {
    const gradient = [0, 0];
    information = [0, 0, 0];
    for (let i = 0; i < all.length; i++) {
      const x = logs[i]!;
      const p = 1 / (1 + Math.exp(-(a + b * x)));
      const tokens = weights[i]!;
      const off = tokens * (shorts[i]! - p);
      const weight = tokens * p * (1 - p);
      gradient[0]! += off;
      gradient[1]! += off * x;
      information[0]! += weight;
      information[1]! += weight * x;
      information[2]! += weight * x * x;
    }
    const determinant = information[0]! * information[2]! - information[1]! ** 2;
    if (determinant <= 0) break;
    a += (information[2]! * gradient[0]! - information[1]! * gradient[1]!) / determinant;
    b += (information[0]! * gradient[1]! - information[1]! * gradient[0]!) / determinant;
  }
  const determinant = information[0]! * information[2]! - information[1]! ** 2;
  const chance = { logOdds: a, perLogSecond: b };
  return {
    chance: {
      ...chance,
      sessions: sessionFactors(informative, chance),
      partial: partialReads(short),
    },
    requests: all.length,
    short: short.length,
    errors: {
      logOdds: Math.sqrt(information[2]! / determinant),
      perLogSecond: Math.sqrt(information[0]! / determinant),
    },
  };
}

/** What short requests read of what they could: the middle of each tenth of the tokens. */
function partialReads(short: readonly ServableRequest[]): readonly number[] {
  const ordered = short
    .map((each) => ({ share: each.request.read / each.reachable, weight: weightOf(each) }))
    .sort((a, b) => a.share - b.share);
  const all = weightOfAll(short);
  return TENTHS.map((at) => {
    let left = at * all;
    const reaches = ({ weight }: { readonly weight: number }): boolean => {
      left -= weight;
      return left <= 0;
    };
    return (ordered.find(reaches) ?? ordered.at(-1)!).share;
  });
}

/** How much more or less often than expected the requests of sessions come up short, wider than was seen. */
function sessionFactors(
  sessions: readonly (readonly ServableRequest[])[],
  chance: Pick<HitChance, 'logOdds' | 'perLogSecond'>,
): readonly number[] {
  const logs = sessions
    .filter((requests) => requests.length > 0)
    .map((requests) => {
      const odds = requests.map((each) => Math.exp(chance.logOdds + chance.perLogSecond * logSeconds(each)));
      return Math.log(
        factorOf({ odds, weights: requests.map(weightOf) }, weightOfAll(requests.filter(isShort)), 1),
      );
    });
  const middle = mean(logs)!;
  const wide = TENTHS.map((at) => Math.exp(middle + WIDENING * (quantile(logs, at)! - middle)));
  return centred(wide, sessions.flat(), chance);
}

/** Halvings of the range in which the common factor is looked for, and its ends. */
const CENTRING_STEPS = 40;
const CENTRING_LOGS = 8;

/** The factors times one common factor, at which as many requests are expected to come up short as did. */
function centred(
  factors: readonly number[],
  requests: readonly ServableRequest[],
  chance: Pick<HitChance, 'logOdds' | 'perLogSecond'>,
): readonly number[] {
  const odds = requests.map((each) => Math.exp(chance.logOdds + chance.perLogSecond * logSeconds(each)));
  const weights = requests.map(weightOf);
  const short = weightOfAll(requests.filter(isShort));
  const expectedAt = (common: number): number => {
    let sum = 0;
    for (let i = 0; i < odds.length; i++)
      for (const factor of factors)
        sum += (weights[i]! * odds[i]! * factor * common) / (1 + odds[i]! * factor * common);
    return sum / factors.length;
  };
  let low = -CENTRING_LOGS;
  let high = CENTRING_LOGS;
  for (let step = 0; step < CENTRING_STEPS; step++) {
    const middle = (low + high) / 2;
    if (expectedAt(Math.exp(middle)) < short) low = middle;
    else high = middle;
  }
  return factors.map((factor) => factor * Math.exp((low + high) / 2));
}

/** Newton steps at most, and the change of the logarithm that ends them. */
const FACTOR_STEPS = 12;
const FACTOR_SETTLED = 1e-9;

/** Odds of requests that they come up short, and what they weigh. */
interface Weighed {
  readonly odds: readonly number[];
  readonly weights: readonly number[];
}

/** The factor on the odds of requests at which as many come up short as did, held back towards 1. */
function factorOf({ odds, weights }: Weighed, short: number, from: number): number {
  let factor = from;
  for (let step = 0; step < FACTOR_STEPS; step++) {
    let expected = PRIOR * factor;
    let slope = PRIOR * factor;
    for (let i = 0; i < odds.length; i++) {
      const own = odds[i]! * factor;
      const chance = own / (1 + own);
      expected += weights[i]! * chance;
      slope += weights[i]! * chance * (1 - chance);
    }
    const change = Math.max(-2, Math.min(2, (short + PRIOR - expected) / slope));
    factor *= Math.exp(change);
    if (Math.abs(change) < FACTOR_SETTLED) break;
  }
  return factor;
}

/** What is believed of a session's luck after each of its requests. */
export class SessionLuck {
  readonly #odds: number[] = [];
  readonly #weights: number[] = [];
  #short = 0;
  /** Factor on the odds of coming up short. */
  factor = 1;

  /** Learns from a request; `expected` is its chance before anything was known of the session. */
  learn(request: ServableRequest, expected: number): void {
    if (!isInformative(request)) return;
    this.#odds.push(expected / (1 - expected));
    this.#weights.push(weightOf(request));
    if (isShort(request)) this.#short += weightOf(request);
    this.factor = factorOf({ odds: this.#odds, weights: this.#weights }, this.#short, this.factor);
  }
}
