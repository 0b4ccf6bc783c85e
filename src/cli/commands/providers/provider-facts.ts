import type { CacheRules } from '../../../cache/cache-rules.js';
import { type Clearing, clearingBreakEven } from '../../../cache/clearing-break-even.js';
import { resolveModel } from '../../../cache/models.js';
import { billedBy, cacheRulesOf, providerRegistry } from '../../../cache/providers.js';

/** What is known of a provider's cache, with the prices of one of its models as shares of input. */
export interface ProviderFacts {
  readonly name: string;
  readonly label: string;
  readonly model: string;
  readonly cache: CacheRules;
  /** The model's own where its row has one; null where nobody says. */
  readonly minimumTokens: number | null;
  /** Dollars per million tokens, and shares of them. */
  readonly input: number;
  readonly write: number;
  readonly read: number;
  /** Further requests until clearing pays; null where it never does. */
  readonly breakEvenRequests: number | null;
  readonly doubts: readonly string[];
  readonly source: string;
}

/** The facts of a provider for one of its models; without one, for the model that stands for it. */
export function providerFacts(name: string, clearing: Clearing, model?: string): ProviderFacts {
  const { label, defaultModel, doubts, source } = providerRegistry.get(name);
  const row = billedBy(name, resolveModel(model ?? defaultModel));
  const cache = cacheRulesOf(name, row.id);
  const { input, cacheRead, cacheWrite5m } = row.pricesPerMTok;
  return {
    name,
    label,
    model: row.id,
    cache,
    minimumTokens: row.minCacheableTokens > 0 ? row.minCacheableTokens : cache.minimum,
    input,
    write: cacheWrite5m / input,
    read: cacheRead / input,
    breakEvenRequests: clearingBreakEven(row.pricesPerMTok, clearing),
    doubts,
    source,
  };
}
