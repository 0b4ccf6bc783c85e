import type {
  CacheLifetime,
  CacheRules,
  CacheWritten,
  HitChance,
  SurvivalPoint,
} from '../../core/run/provider.js';
import type { ModelRow } from '../prices/model-row.js';

/** What a request reads follows from what is stored: an entry at a mark, the longest prefix, a whole unit, or a named object. */
export const MATCH: Readonly<Record<CacheWritten, string>> = {
  marks: 'breakpoint',
  'every-grain': 'prefix',
  'request-ends': 'unit',
  head: 'object',
};

/** Share of entries that are found so long after their last use. */
export function survival({ idleMs, tail }: CacheLifetime, gapMs: number): number {
  if (gapMs <= idleMs) return 1;
  let from: SurvivalPoint = { afterMs: idleMs, share: 1 };
  for (const to of tail) {
    if (gapMs <= to.afterMs)
      return from.share + ((to.share - from.share) * (gapMs - from.afterMs)) / (to.afterMs - from.afterMs);
    from = to;
  }
  return 0;
}

/** How long after its last use every entry lives. */
export function sureLifeMs({ idleMs, tail }: CacheLifetime): number {
  return tail.findLast(({ share }) => share >= 1)?.afterMs ?? idleMs;
}

/** The longest time without use after which some entry may still be found. */
export function longestLifeMs({ idleMs, tail }: CacheLifetime): number {
  return Math.max(idleMs, tail.at(-1)?.afterMs ?? 0);
}

/** The odds that a request comes up short, so long after the one before it. */
export function oddsOfShort({ logOdds, perLogSecond }: HitChance, gapMs: number): number {
  return Math.exp(logOdds + perLogSecond * Math.log(Math.max(1, gapMs / 1_000)));
}

/** The chance of it, with a factor on the odds. */
export function chanceOfShort(hit: HitChance, gapMs: number, factor: number): number {
  const odds = oddsOfShort(hit, gapMs) * factor;
  return odds / (1 + odds);
}

/** The longest read that ends on a step of the grain. */
export function onGrain({ grain }: Pick<CacheRules, 'grain'>, tokens: number): number {
  if (grain === null) return tokens;
  if (tokens < grain.offset) return 0;
  return grain.offset + Math.floor((tokens - grain.offset) / grain.tokens) * grain.tokens;
}

/** Tokens of the shortest prefix of a model that is cached; 0 where nobody says. */
export function minimumOf(
  { minCacheableTokens }: Pick<ModelRow, 'minCacheableTokens'>,
  { minimum }: Pick<CacheRules, 'minimum'>,
): number {
  return minCacheableTokens > 0 ? minCacheableTokens : (minimum ?? 0);
}
