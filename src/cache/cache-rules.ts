/** What a request leaves behind: at the client's marks, everywhere, at the end of prompt and answer, or its head as an object. */
export type CacheWritten = 'marks' | 'every-grain' | 'request-ends' | 'head';

/** What a request reads follows from what is stored: an entry at a mark, the longest prefix, a whole unit, or a named object. */
export const MATCH: Readonly<Record<CacheWritten, string>> = {
  marks: 'breakpoint',
  'every-grain': 'prefix',
  'request-ends': 'unit',
  head: 'object',
};

/** A share of entries that are still found so long after their last use. */
export interface SurvivalPoint {
  readonly afterMs: number;
  readonly share: number;
}

/** How long entries live. */
export interface CacheLifetime {
  /** Every entry lives so long after its last use; null where nothing is promised. For marks the request says how long. */
  readonly idleMs: number | null;
  /** A longer life that requests may ask for at their marks; null where they may not. */
  readonly longMs: number | null;
  /** No entry lives longer, however often it is used; null without such a limit. */
  readonly maxMs: number | null;
  readonly refresh: 'on-hit' | 'none';
  /** What is left after that, by time since the last use, in straight lines between the points; empty: nothing. */
  readonly tail: readonly SurvivalPoint[];
}

/**
 * The chance that a living entry is found, where the provider promises none. The odds of a request that comes up short grow with
 * the seconds since the last one, and differ from session to session.
 */
export interface HitChance {
  /** Log odds of coming up short one second after the last request, and what each e-fold of seconds adds. */
  readonly logOdds: number;
  readonly perLogSecond: number;
  /** Factors on these odds, one for each tenth of the sessions. */
  readonly sessions: readonly number[];
  /** Share of what could be read that is read all the same, one for each tenth of the requests that come up short. */
  readonly partial: readonly number[];
}

/** The prompt cache of a provider as data: what a simulator needs to know of it. Prices are those of the models. */
export interface CacheRules {
  /** Blocks looked at from a mark of the client back, the marked one included; null without a limit, or without marks. */
  readonly lookback: number | null;
  /** Reads end at `offset` and every so many tokens behind it; null where they end anywhere. */
  readonly grain: { readonly tokens: number; readonly offset: number } | null;
  /** A shorter prefix is not cached; null where nobody says. The row of a model says more where it knows more. */
  readonly minimum: number | null;
  readonly written: CacheWritten;
  /** What the model answers is stored with its prompt. */
  readonly storesOutput: boolean;
  readonly visibleAfter: { readonly event: 'response-start' | 'response-end'; readonly plusMs: number };
  readonly lifetime: CacheLifetime;
  /** Null where an entry that lives is always found. */
  readonly hit: HitChance | null;
  /** The API tells how many tokens were written. */
  readonly tellsWrites: boolean;
}

/** Share of entries that are found so long after their last use. */
export function survival({ idleMs, tail }: CacheLifetime, gapMs: number): number {
  if (idleMs === null || gapMs <= idleMs) return 1;
  let from: SurvivalPoint = { afterMs: idleMs, share: 1 };
  for (const to of tail) {
    if (gapMs <= to.afterMs)
      return from.share + ((to.share - from.share) * (gapMs - from.afterMs)) / (to.afterMs - from.afterMs);
    from = to;
  }
  return 0;
}

/** The chance that a request comes up short, so long after the one before it, with a factor on the odds. */
export function chanceOfShort({ logOdds, perLogSecond }: HitChance, gapMs: number, factor: number): number {
  const odds = Math.exp(logOdds + perLogSecond * Math.log(Math.max(1, gapMs / 1_000))) * factor;
  return odds / (1 + odds);
}

/** The longest read that ends on a step of the grain. */
export function onGrain({ grain }: Pick<CacheRules, 'grain'>, tokens: number): number {
  if (grain === null) return tokens;
  if (tokens < grain.offset) return 0;
  return grain.offset + Math.floor((tokens - grain.offset) / grain.tokens) * grain.tokens;
}
