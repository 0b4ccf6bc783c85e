import { type Clearing, clearingBreakEven } from '../../../analysis/lifetime/clearing-break-even.js';
import type { CacheRules, Provider } from '../../../core/run/provider.js';
import { modelOrUnknown } from '../../../provider/prices/models.js';
import { billedBy, cacheRulesOf } from '../../../provider/providers/providers.js';

/** What is known of a provider's cache, with the prices of one of its models as shares of input. */
export interface ProviderFacts {
  readonly name: string;
  readonly label: string;
  readonly model: string;
  readonly cache: CacheRules;
  /** The model's own where its row has one; null where nobody says. */
  readonly minimumTokens: number | null;
  /** Dollars per million tokens, and shares of them; null where the model is in no table. */
  readonly input: number | null;
  readonly write: number | null;
  readonly read: number | null;
  /** Further requests until clearing pays; null where it never does, or nobody knows the prices. */
  readonly breakEvenRequests: number | null;
  readonly doubts: readonly string[];
  readonly source: string;
}

/** The facts of a provider for one of its models; without one, for the model that stands for it. */
export function providerFacts(provider: Provider, clearing: Clearing, model?: string): ProviderFacts {
  const { name, label, defaultModel, doubts, source } = provider;
  const row = billedBy(provider, modelOrUnknown(model ?? defaultModel));
  const cache = cacheRulesOf(provider, row.id);
  const { input, cacheRead, cacheWrite5m } = row.pricesPerMTok;
  return {
    name,
    label,
    model: row.id,
    cache,
    minimumTokens: row.minCacheableTokens > 0 ? row.minCacheableTokens : cache.minimum,
    input: row.pricesAreKnown ? input : null,
    write: row.pricesAreKnown ? cacheWrite5m / input : null,
    read: row.pricesAreKnown ? cacheRead / input : null,
    breakEvenRequests: row.pricesAreKnown ? clearingBreakEven(row.pricesPerMTok, clearing) : null,
    doubts,
    source,
  };
}
