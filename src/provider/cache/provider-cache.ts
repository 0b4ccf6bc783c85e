import type { ModelRow } from '../prices/model-row.js';
import { cacheRulesOf, knownProvider, type ProviderRef } from '../providers/providers.js';
import { createPrefixCache } from './prefix-cache.js';
import { createPromptCache, type PromptCache, type PromptCacheOptions } from './prompt-cache.js';

/** The cache of a provider by its rules: with marks that the client sets, or without. */
function createOne(provider: ProviderRef, options: PromptCacheOptions): PromptCache {
  const { cache } = knownProvider(provider);
  if (cache.written === 'marks')
    return createPromptCache({
      ...options,
      visibleAfter: cache.visibleAfter,
      positions: cache.lookback ?? Number.POSITIVE_INFINITY,
      lifetimes: { shortMs: cache.lifetime.idleMs, longMs: cache.lifetime.longMs },
    });
  return createPrefixCache((model) => cacheRulesOf(provider, model), options.seed ?? 0);
}

/** The cache of one provider, or those of several behind one door: each request goes to the one of its model. */
export function createProviderCache(
  provider: ProviderRef | ((model: ModelRow) => string),
  options: PromptCacheOptions,
): PromptCache {
  if (typeof provider !== 'function') return createOne(provider, options);
  const caches = new Map<string, PromptCache>();
  const cacheOf = (name: string): PromptCache => {
    let cache = caches.get(name);
    if (cache === undefined) {
      cache = createOne(name, options);
      caches.set(name, cache);
    }
    return cache;
  };
  return {
    request: (request) => cacheOf(provider(request.model)).request(request),
    get size() {
      let size = 0;
      for (const cache of caches.values()) size += cache.size;
      return size;
    },
    clear() {
      for (const cache of caches.values()) cache.clear();
    },
  };
}
