import type { Usage } from '../../core/model/usage.js';
import type { CacheRules } from '../../core/run/provider.js';
import type { PricedCalls } from '../../core/run/recorded-bill.js';
import { onGrain, survival } from '../../provider/cache/cache-rules.js';
import type { Prices } from '../../provider/prices/model-row.js';
import { findModel, modelOrUnknown } from '../../provider/prices/models.js';
import { type PriceTimes, priceUsage } from '../../provider/prices/price.js';
import { cacheRulesOf } from '../../provider/providers/providers.js';
import type { LifetimeSession } from './lifetime-curve.js';

/** What a call reads while the entry before it lives, and once it is gone. */
export interface Reuse {
  readonly gapMs: number;
  readonly living: number;
  readonly gone: number;
  /** Share of entries that the provider's rule leaves after the gap. */
  readonly alive: number;
}

/** A call of a session whose cache the provider rules alone. */
export interface RuleCall {
  readonly model: string;
  /** When it counts for prices, ms since 1970. */
  readonly pricedAtMs: number;
  /** As recorded; where nothing is, as it would be with an entry that lives. */
  readonly usage: Usage;
  /** What tokens that are no longer read are billed as. */
  readonly unread: 'input' | 'cacheWrite5m';
  /** Null if no lifetime decides what is read: the usage holds. */
  readonly reuse: Reuse | null;
}

/** A cost at one lifetime; `ttlSeconds` null is an unlimited one, `costUsd` null if no call can be priced. */
export interface LifetimeCost {
  readonly ttlSeconds: number | null;
  readonly costUsd: number | null;
}

/** What a session costs by its provider's rule on average, and if every entry lived so long. */
export interface RuleCosts extends PricedCalls {
  readonly averageUsd: number | null;
  readonly lifetimes: readonly LifetimeCost[];
}

/** Lifetimes that are priced unless others are asked for: those that providers have; null is unlimited. */
export const RULE_SECONDS: readonly (number | null)[] = [300, 1_800, 3_600, 86_400, null];

const NANO = 1e9;
/** Where tokens come from that are read in place of being billed otherwise. */
const TAKEN = ['cacheWrite5m', 'cacheWrite1h', 'input'] as const;

/** The part of some tokens that can be read: whole steps of the cache, nothing below its minimum. */
export function readable(rules: CacheRules, tokens: number): number {
  return tokens < (rules.minimum ?? 0) ? 0 : onGrain(rules, tokens);
}

/** Prices a session by lifetime: each call by the prices that hold for its prompt, calls of unknown models left out. */
export function ruleCosts(
  calls: readonly RuleCall[],
  seconds: readonly (number | null)[] = RULE_SECONDS,
): RuleCosts {
  return {
    calls: calls.length,
    unpricedCalls: calls.filter(({ model }) => findModel(model) === null).length,
    averageUsd: costOf(calls, ({ alive, living, gone }) => Math.round(alive * living + (1 - alive) * gone)),
    lifetimes: seconds.map((ttlSeconds) => {
      const limitMs = ttlSeconds === null ? Number.POSITIVE_INFINITY : ttlSeconds * 1_000;
      return {
        ttlSeconds,
        costUsd: costOf(calls, ({ gapMs, living, gone }) => (gapMs <= limitMs ? living : gone)),
      };
    }),
  };
}

function costOf(calls: readonly RuleCall[], readOf: (reuse: Reuse) => number): number | null {
  let nano: number | null = null;
  for (const call of calls) {
    const row = findModel(call.model);
    if (row === null) continue;
    const usage = call.reuse === null ? call.usage : withRead(call, readOf(call.reuse));
    nano = (nano ?? 0) + priceUsage(row, usage, call.pricedAtMs).totalNano;
  }
  return nano === null ? null : nano / NANO;
}

/** The same prompt with another read. */
function withRead({ usage, unread }: RuleCall, cacheRead: number): Usage {
  const changed = { ...usage, cacheRead };
  let more = cacheRead - usage.cacheRead;
  if (more <= 0) changed[unread] -= more;
  for (const part of TAKEN) {
    if (more <= 0) break;
    const taken = Math.min(more, changed[part]);
    changed[part] -= taken;
    more -= taken;
  }
  return changed;
}

/** The calls of a session that tells no usage: everything is read that the request before it left, if it lives. */
export function sessionRuleCalls(
  { threads }: LifetimeSession,
  provider: string,
  pricedAt: PriceTimes,
): readonly RuleCall[] {
  return threads.flatMap((thread) =>
    thread.models.map((model, i): RuleCall => {
      const rules = cacheRulesOf(provider, modelOrUnknown(model).id);
      const isSame = i > 0 && thread.models[i - 1] === model;
      const living = isSame ? readable(rules, thread.reusableTokens[i]!) : 0;
      const unread = rules.tellsWrites ? 'cacheWrite5m' : 'input';
      const bare = { input: 0, cacheRead: living, cacheWrite5m: 0, cacheWrite1h: 0 };
      const gapMs = i === 0 ? 0 : thread.startMs[i]! - thread.startMs[i - 1]!;
      return {
        model,
        pricedAtMs: pricedAt(thread.startMs[i]!),
        usage: {
          ...bare,
          [unread]: thread.promptTokens[i]! - living,
          output: thread.outputTokens[i]!,
        },
        unread,
        reuse: isSame ? { gapMs, living, gone: 0, alive: survival(rules.lifetime, gapMs) } : null,
      };
    }),
  );
}

/** A clearing: tokens behind the edit that must be written again, and tokens that are gone from then on. */
export interface Clearing {
  readonly rewritten: number;
  readonly freed: number;
}

/** Further requests after which clearing has paid for itself; null if reads are free and it never does. */
export function clearingBreakEven(
  { cacheWrite5m, cacheRead }: Pick<Prices, 'cacheWrite5m' | 'cacheRead'>,
  { rewritten, freed }: Clearing,
): number | null {
  const savedByRequest = cacheRead * freed;
  return savedByRequest === 0 ? null : ((cacheWrite5m - cacheRead) * rewritten) / savedByRequest;
}
