import { createRandom, type Random } from '../../../core/base/random.js';
import type { Interval } from '../../../core/base/stats.js';
import type { HitChance } from '../../../core/run/provider.js';
import { PLAIN_ERROR } from '../../../metrics/cost-interval.js';
import { oddsOfShort, survival } from '../../../provider/cache/cache-rules.js';
import { modelOrUnknown } from '../../../provider/prices/models.js';
import { priceByRead } from '../../../provider/prices/price.js';
import { inputNano } from '../compare.js';
import { fitHitChance, type HitFit } from './hit-fit.js';
import { predictReads } from './predict-provider.js';
import type { ServableRequest } from './provider-requests.js';

/** Fewer sessions than this are not split into halves. */
const FEWEST_SESSIONS = 8;
/** Draws of each session for its 90 % interval. */
const DRAWS = 400;
const LOW = 0.05;
const HIGH = 0.95;

/** The sessions of a provider whose hits are chance, judged half by half: each half by the fit of the other. */
export interface BestEffort {
  readonly sessions: number;
  /** Signed error of the cost of all sessions. */
  readonly netError: number;
  /** Share of the sessions whose cost lies within the 90 % interval. */
  readonly coverage: number;
  /** The fit to all sessions, for reading: chance of coming up short by seconds since the last request, with its 95 % interval. */
  readonly fit: HitFit;
  readonly curve: readonly {
    readonly seconds: number;
    readonly chance: number;
    readonly low: number;
    readonly high: number;
  }[];
}

const CURVE_SECONDS = [2, 5, 10, 30, 60, 120, 300, 600] as const;
const NORMAL_95 = 1.96;

/** One session: its name, whose place among the others decides its half and its luck, and its requests. */
export interface ChanceSession {
  readonly file: string;
  readonly requests: readonly ServableRequest[];
}

/** Judges sessions by the fit of others. Null if there are too few, or nothing came up short. */
export function bestEffort(sessions: readonly ChanceSession[]): BestEffort | null {
  const ordered = sessions
    .filter(({ requests }) => requests.length > 0)
    .toSorted((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0));
  const fit = fitHitChance(ordered.map(({ requests }) => requests));
  if (ordered.length < FEWEST_SESSIONS || fit === null) return null;
  let predicted = 0;
  let recorded = 0;
  let within = 0;
  const halves = [0, 1].map((half) => ordered.filter((_, i) => i % 2 === half));
  const random = createRandom('best effort');
  for (const [half, own] of halves.entries()) {
    const other = fitHitChance(halves[1 - half]!.map(({ requests }) => requests));
    if (other === null) return null;
    for (const [i, { requests }] of own.entries()) {
      const truth = requests.reduce((sum, { request }) => sum + inputNano(request, request.usage), 0);
      const { predictions } = predictReads(requests, 'blind', () => other.chance);
      recorded += truth;
      for (const { request } of requests)
        predicted += inputNano(request, predictions.get(request.key)!.usage);
      const drawn = drawCosts(requests, other.chance, random.split(`${half} ${i}`));
      if (truth >= drawn.low && truth <= drawn.high) within++;
    }
  }
  return {
    sessions: ordered.length,
    netError: predicted / recorded - 1,
    coverage: within / ordered.length,
    fit,
    curve: CURVE_SECONDS.map((seconds) => curvePoint(fit, seconds)),
  };
}

function curvePoint({ chance, errors }: HitFit, seconds: number): BestEffort['curve'][number] {
  const at = chance.logOdds + chance.perLogSecond * Math.log(seconds);
  // The two errors are taken as if one had nothing to do with the other: the interval is wider than need be.
  const off = NORMAL_95 * Math.hypot(errors.logOdds, errors.perLogSecond * Math.log(seconds));
  const share = (value: number): number => 1 / (1 + Math.exp(-value));
  return { seconds, chance: share(at), low: share(at - off), high: share(at + off) };
}

/** Ends of the costs of a session whose luck is drawn again and again. */
function drawCosts(requests: readonly ServableRequest[], hit: HitChance, random: Random): Interval {
  const drawn = requests.map((each) => drawnRequest(each, hit));
  const costs = Array.from({ length: DRAWS }, () => {
    const factor = pick(hit.sessions, random);
    let nano = 0;
    for (const each of drawn)
      nano += each.nanoOf(Math.min(each.prompt, Math.round(drawRead(each, hit.partial, factor, random))));
    return nano;
  }).sort((a, b) => a - b);
  return {
    low: costs[Math.floor(LOW * DRAWS)]! * (1 - PLAIN_ERROR),
    high: costs[Math.ceil(HIGH * DRAWS) - 1]! * (1 + PLAIN_ERROR),
  };
}

/** What every draw of a request asks for. */
interface DrawnRequest {
  readonly cause: ServableRequest['cause'];
  readonly prompt: number;
  readonly reachable: number;
  readonly head: number;
  /** Chance that its entry still lives. */
  readonly alive: number;
  /** Odds that it comes up short in a session of the usual luck. */
  readonly odds: number;
  readonly nanoOf: (cacheRead: number) => number;
}

function drawnRequest(each: ServableRequest, hit: HitChance): DrawnRequest {
  const { request, rules, cause, reachable, head, gapMs } = each;
  const { model, prompt, usage, pricedAtMs } = request;
  return {
    cause,
    prompt,
    reachable,
    head,
    alive: survival(rules.lifetime, gapMs),
    odds: oddsOfShort(hit, gapMs),
    nanoOf: priceByRead(modelOrUnknown(model), { ...usage, cacheRead: 0, input: prompt }, pricedAtMs),
  };
}

function drawRead(
  { cause, reachable, head, alive, odds }: DrawnRequest,
  partial: readonly number[],
  factor: number,
  random: Random,
): number {
  if (cause === 'model') return 0;
  if (cause === 'compaction') return head;
  if (random.next() >= alive) return Math.min(head, reachable);
  if (random.next() >= (odds * factor) / (1 + odds * factor)) return reachable;
  return pick(partial, random) * reachable;
}

function pick(values: readonly number[], random: Random): number {
  return values[Math.floor(random.next() * values.length)]!;
}
