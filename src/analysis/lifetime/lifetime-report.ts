import { mean, quantile, ratio, sum } from '../../core/base/stats.js';
import type { Transcript } from '../../core/model/transcript.js';
import { callsIn } from '../../core/model/transcript.js';
import { addPricedCalls, isUnpriced, type PricedCalls } from '../../core/run/recorded-bill.js';
import { usd } from '../../metrics/metric.js';
import { modelOrUnknown } from '../../provider/prices/models.js';
import { pricesFor, priceTimes } from '../../provider/prices/price.js';
import { changedPlan, runChanged } from '../what-if.js';
import {
  type CurvePoint,
  cheaperLifetime,
  LIFETIME_SECONDS,
  type LifetimeSession,
  lifetimeCosts,
  lifetimeCurve,
  type PriceOf,
  type SessionCost,
} from './lifetime-curve.js';

/**
 * Five minutes against one hour over the sessions that have the choice; totals and shares are null if there is none. Calls are those of
 * all such sessions; one without a call that has a price is left out of the rest.
 */
export interface LifetimeCostReport
  extends PricedCalls,
    Pick<SessionCost, 'premiumUsd' | 'savedUsd' | 'unrecordedUsd' | 'rescuedTokens' | 'breakEvenTokens'> {
  readonly total5mUsd: number | null;
  readonly total1hUsd: number | null;
  readonly share5mCheaper: number | null;
  readonly share1hCheaper: number | null;
  readonly shareEqual: number | null;
  readonly perSession: readonly SessionCost[];
}

/** The lifetime curve of recordings with the money beside it. */
export interface LifetimeReport {
  readonly sessions: number;
  readonly requests: number;
  readonly promptTokens: number;
  readonly curve: readonly CurvePoint[];
  readonly cost: LifetimeCostReport;
}

/** Hit rates per conversation with entries that never expire; null without a conversation. */
export interface ConversationHitRates {
  readonly median: number | null;
  readonly lowerQuartile: number | null;
  readonly mean: number | null;
  readonly min: number | null;
}

/** What is known of a session's cost better than by the gaps between requests: nothing, or that nobody chooses its lifetime. */
export type GivenCost = SessionCost | 'no-choice' | null;

/**
 * Builds the report on sessions: sizes, the curve, and both lifetimes in money. Costs that are known better are given, session by
 * session; sessions without a choice are left out of the money.
 */
export function lifetimeReport(
  sessions: readonly LifetimeSession[],
  ttlSeconds: readonly (number | null)[] = LIFETIME_SECONDS,
  prices: PriceOf,
  costs: readonly GivenCost[] | null = null,
): LifetimeReport {
  const threads = sessions.flatMap((session) => session.threads);
  return {
    sessions: sessions.length,
    requests: sum(threads.map((thread) => thread.length)),
    promptTokens: sum(threads.map((thread) => sumColumn(thread.promptTokens))),
    curve: lifetimeCurve(sessions, ttlSeconds),
    cost: costReport(
      sessions.flatMap((session, i) => {
        const given = costs?.[i] ?? lifetimeCosts(session, prices);
        return given === 'no-choice' ? [] : [given];
      }),
    ),
  };
}

/** Spread of the hit rate over conversations at an unlimited lifetime: the figures published for the traces (E1). */
export function conversationHitRates(sessions: readonly LifetimeSession[]): ConversationHitRates {
  const rates: number[] = [];
  for (const session of sessions) {
    const rate = lifetimeCurve([session], [null])[0]!.hitRate;
    if (rate !== null) rates.push(rate);
  }
  return {
    median: quantile(rates, 0.5),
    lowerQuartile: quantile(rates, 0.25),
    mean: mean(rates),
    min: quantile(rates, 0),
  };
}

function costReport(chosen: readonly SessionCost[]): LifetimeCostReport {
  const perSession = chosen.filter((cost) => !isUnpriced(cost));
  const total = (pick: (cost: SessionCost) => number): number => sum(perSession.map(pick));
  const share = (side: SessionCost['cheaper']): number | null =>
    ratio(perSession.filter((cost) => cost.cheaper === side).length, perSession.length);
  return {
    total5mUsd: perSession.length === 0 ? null : total((cost) => cost.cost5mUsd),
    total1hUsd: perSession.length === 0 ? null : total((cost) => cost.cost1hUsd),
    share5mCheaper: share('5m'),
    share1hCheaper: share('1h'),
    shareEqual: share('equal'),
    premiumUsd: total((cost) => cost.premiumUsd),
    savedUsd: total((cost) => cost.savedUsd),
    unrecordedUsd: total((cost) => cost.unrecordedUsd),
    rescuedTokens: total((cost) => cost.rescuedTokens),
    breakEvenTokens: total((cost) => cost.breakEvenTokens),
    perSession,
    ...addPricedCalls(chosen),
  };
}

function sumColumn(column: Float64Array): number {
  let total = 0;
  for (let i = 0; i < column.length; i++) total += column[i]!;
  return total;
}

/** Nano-dollars for a token at one dollar for a million. */
const NANO_PER_MILLIONTH = 1_000;

/** What entries of one lifetime make of a session. */
interface AtLifetime {
  readonly costNano: number;
  /** The part of the cost that requests outside the recording have, such as those that keep an entry alive: which there are depends on the lifetime. */
  readonly unrecordedNano: number;
  readonly readTokens: number;
  readonly premiumNano: number;
  readonly breakEvenTokens: number;
  readonly calls: number;
  readonly unpricedCalls: number;
}

function runAt(transcript: Transcript, lifetime: '5m' | '1h'): AtLifetime {
  let unrecordedNano = 0;
  let readTokens = 0;
  let premiumNano = 0;
  let breakEvenTokens = 0;
  let calls = 0;
  let unpricedCalls = 0;
  const pricedAt = priceTimes(transcript);
  const facts = runChanged(changedPlan(transcript, { lifetime }), transcript, {
    onEntry: (entry) => {
      if (entry.type !== 'request') return;
      if (entry.purpose !== 'main' && entry.purpose !== 'subagent') {
        unrecordedNano += entry.cost;
        return;
      }
      calls++;
      readTokens += entry.read;
      const row = modelOrUnknown(entry.model);
      if (!row.pricesAreKnown) {
        unpricedCalls++;
        return;
      }
      const { cacheWrite1h, cacheWrite5m, cacheRead } = pricesFor(row, entry.prompt, pricedAt(entry.t));
      const more = entry.write1h * (cacheWrite1h - cacheWrite5m);
      premiumNano += more * NANO_PER_MILLIONTH;
      if (cacheWrite5m > cacheRead) breakEvenTokens += more / (cacheWrite5m - cacheRead);
    },
  });
  return {
    costNano: facts.cost.total,
    unrecordedNano,
    readTokens,
    premiumNano: Math.round(premiumNano),
    breakEvenTokens,
    calls,
    unpricedCalls,
  };
}

/**
 * What a recording would have cost with five-minute and with one-hour entries, by the same run that `compare` makes: as it happened but for
 * the lifetime. Null without a request that carries usage and has a price.
 */
export function lifetimeChoice(transcript: Transcript): SessionCost | null {
  const isPriced = callsIn(transcript.threads).some(
    ({ usage, model }) => usage !== null && modelOrUnknown(model).pricesAreKnown,
  );
  if (!isPriced) return null;
  const short = runAt(transcript, '5m');
  const long = runAt(transcript, '1h');
  const moreNano = long.costNano - short.costNano;
  // Requests that only five minutes need may leave a little more to read: that is theirs.
  const savedNano = Math.max(0, long.premiumNano - moreNano + long.unrecordedNano - short.unrecordedNano);
  return {
    id: transcript.id,
    cost5mUsd: usd(short.costNano),
    cost1hUsd: usd(long.costNano),
    cheaper: cheaperLifetime(usd(moreNano)),
    premiumUsd: usd(long.premiumNano),
    savedUsd: usd(savedNano),
    unrecordedUsd: usd(long.premiumNano - moreNano - savedNano),
    rescuedTokens: Math.max(0, long.readTokens - short.readTokens),
    breakEvenTokens: Math.round(long.breakEvenTokens),
    calls: long.calls,
    unpricedCalls: long.unpricedCalls,
  };
}
