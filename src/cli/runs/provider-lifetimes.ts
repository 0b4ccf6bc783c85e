import type { LifetimeCost, RuleCosts } from '../../analysis/lifetime/rule-costs.js';
import { sum } from '../../core/base/stats.js';
import { addPricedCalls, type PricedCalls } from '../../core/run/priced-calls.js';
import type { CacheLifetime } from '../../core/run/provider.js';
import { providerRegistry } from '../../provider/providers/providers.js';

/** A session whose cache the provider rules alone, priced by lifetime. */
export interface RuledSession extends RuleCosts {
  readonly id: string;
  readonly provider: string;
  /** Null where it is not known. */
  readonly recordedUsd: number | null;
}

/** The sessions of one provider, priced by lifetime. */
export interface ProviderLifetimes extends PricedCalls {
  readonly label: string;
  readonly sessions: number;
  /** How long entries live by the provider's rule. */
  readonly lifetime: CacheLifetime;
  /** Of the sessions whose cost is known. */
  readonly recordedUsd: number | null;
  /** Sessions that can be priced but whose recorded cost is not known: the other costs include them. */
  readonly untold: number;
  /** By that rule, on average. */
  readonly averageUsd: number | null;
  /** If every entry lived so long, at the same prices, and what that saves against the rule. */
  readonly lifetimes: readonly (LifetimeCost & { readonly savesUsd: number | null })[];
  readonly perSession: readonly Omit<RuledSession, 'provider'>[];
}

/** Whether a client of the provider chooses between five minutes and one hour. */
export function choosesLifetime(provider: string): boolean {
  return providerRegistry.get(provider).serves === 'anthropic';
}

function known(values: readonly (number | null)[]): number | null {
  const numbers = values.flatMap((value) => value ?? []);
  return numbers.length === 0 ? null : sum(numbers);
}

function ofProvider(provider: string, all: readonly RuledSession[]): ProviderLifetimes {
  const own = all.filter((session) => session.provider === provider);
  const { label, cache } = providerRegistry.get(provider);
  const averageUsd = known(own.map((session) => session.averageUsd));
  return {
    label,
    sessions: own.length,
    lifetime: cache.lifetime,
    recordedUsd: known(own.map((session) => session.recordedUsd)),
    untold: own.filter((session) => session.recordedUsd === null && session.averageUsd !== null).length,
    ...addPricedCalls(own),
    averageUsd,
    lifetimes: own[0]!.lifetimes.map(({ ttlSeconds }, i) => {
      const costUsd = known(own.map(({ lifetimes }) => lifetimes[i]!.costUsd));
      const savesUsd = averageUsd === null || costUsd === null ? null : averageUsd - costUsd;
      return { ttlSeconds, costUsd, savesUsd };
    }),
    perSession: own.map(({ provider: _, ...session }) => session),
  };
}

/** Adds sessions up by provider, by name. */
export function providerLifetimes(
  sessions: readonly RuledSession[],
): Readonly<Record<string, ProviderLifetimes>> {
  const names = [...new Set(sessions.map(({ provider }) => provider))].sort();
  return Object.fromEntries(names.map((name) => [name, ofProvider(name, sessions)]));
}
