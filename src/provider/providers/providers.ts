import { getOrMake, oncePer } from '../../core/base/once.js';
import { createRegistry } from '../../core/base/registry.js';
import { promptTokens, type Usage } from '../../core/model/usage.js';
import type { CacheRules, Provider } from '../../core/run/provider.js';
import { onGrain } from '../cache/cache-rules.js';
import type { ModelRow, PricePeriod, Prices } from '../prices/model-row.js';
import { SHIPPED } from './providers.generated.js';

/** The providers by name, each a file in `providers`, read when ccbench is built. */
export const providerRegistry = createRegistry<Provider>(
  'provider',
  [],
  SHIPPED.map(([name, json]) => [name, () => JSON.parse(json) as Provider]),
);

/** A provider by its name, or as a scenario brings it. */
export type ProviderRef = string | Provider;

/** The provider that is meant. */
export function knownProvider(provider: ProviderRef): Provider {
  return typeof provider === 'string' ? providerRegistry.get(provider) : provider;
}

/** The provider that a plan names: one of a file is in the plan itself. */
export function plannedProvider(plan: {
  readonly provider?: string | undefined;
  readonly ownProvider?: Provider | undefined;
}): ProviderRef | undefined {
  return plan.ownProvider ?? plan.provider;
}

/** The rules of a provider's cache for a model. */
export function cacheRulesOf(provider: ProviderRef, model: string): CacheRules {
  const { cache, exceptions } = knownProvider(provider);
  const exception = exceptions.find(({ models }) => model.startsWith(models));
  if (exception === undefined) return cache;
  return getOrMake(exceptional, exception, () => ({ ...cache, ...exception.rules }));
}

/** The rules of exceptions, made once: every request of a recording refers to them. */
const exceptional = new WeakMap<object, CacheRules>();

/** Whether a provider serves a model: those of the provider it serves, and those of its own name. */
export function isServedBy(provider: ProviderRef, model: ModelRow): boolean {
  const { serves, name } = knownProvider(provider);
  return model.provider === serves || model.provider === name;
}

/** Rows as providers bill them: callers compare rows. */
const billed = oncePer((provider: Provider) => oncePer((model: ModelRow) => billedRow(provider, model)));

/** The row of a model as a provider bills it. */
export function billedBy(provider: ProviderRef, model: ModelRow): ModelRow {
  return billed(knownProvider(provider))(model);
}

function billedRow({ shares, cache }: Provider, model: ModelRow): ModelRow {
  const says = cache.minimumFor === 'every-model' || model.minCacheableTokens === 0;
  const minCacheableTokens = says ? (cache.minimum ?? 0) : model.minCacheableTokens;
  if (shares === null)
    return minCacheableTokens === model.minCacheableTokens ? model : { ...model, minCacheableTokens };
  const sharesOf = ({ input, output }: Prices): Prices => ({
    input,
    output,
    cacheRead: input * shares.read,
    cacheWrite5m: input * shares.write,
    cacheWrite1h: input * shares.writeLong,
  });
  const shared = <T extends PricePeriod>(period: T): T => ({
    ...period,
    pricesPerMTok: sharesOf(period.pricesPerMTok),
    priceSteps: period.priceSteps.map((step) => ({ ...step, prices: sharesOf(step.prices) })),
  });
  return { ...shared(model), minCacheableTokens, earlier: model.earlier.map(shared) };
}

/** Whether what a provider's cache does is chance. */
export function isBestEffort(provider: ProviderRef): boolean {
  return knownProvider(provider).cache.hit !== null;
}

/**
 * What a recorded call was billed by the rules of its provider, for a recording that tells no writes: where they are billed, what was not
 * read was written, up to the last step.
 */
export function withUntoldWrites(row: ModelRow, usage: Usage): Usage {
  if (!providerRegistry.has(row.provider)) return usage;
  const rules = cacheRulesOf(row.provider, row.id);
  if (!rules.tellsWrites) return usage;
  const prompt = promptTokens(usage);
  const written = Math.max(0, onGrain(rules, prompt) - usage.cacheRead);
  return { ...usage, input: prompt - usage.cacheRead - written, cacheWrite5m: written };
}
