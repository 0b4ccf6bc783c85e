/** What a request leaves behind: at the client's marks, everywhere, at the end of prompt and answer, or its head as an object. */
export type CacheWritten = 'marks' | 'every-grain' | 'request-ends' | 'head';

/** A share of entries that are still found so long after their last use. */
export interface SurvivalPoint {
  readonly afterMs: number;
  readonly share: number;
}

/** How long entries live. */
export interface CacheLifetime {
  /** Every entry lives so long after its last use; for marks that ask for nothing longer. */
  readonly idleMs: number;
  /** A longer life that requests may ask for at their marks; null if they may not. */
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
  /** Reads end at `offset` and every N tokens after it; null if they end anywhere. */
  readonly grain: { readonly tokens: number; readonly offset: number } | null;
  /** A shorter prefix is not cached; null if unknown. */
  readonly minimum: number | null;
  /** Models for which that holds: those whose rows say nothing, or every one. */
  readonly minimumFor: 'silent-models' | 'every-model';
  readonly written: CacheWritten;
  /** What the model answers is stored with its prompt. */
  readonly storesOutput: boolean;
  readonly visibleAfter: { readonly event: 'response-start' | 'response-end'; readonly plusMs: number };
  readonly lifetime: CacheLifetime;
  /** Null if an entry that lives is always found. */
  readonly hit: HitChance | null;
  /** The API reports how many tokens were written. */
  readonly tellsWrites: boolean;
}

/** A provider: its cache, and its representative model for sessions that name none of its models. */
export interface Provider {
  readonly name: string;
  readonly label: string;
  readonly cache: CacheRules;
  /** Models whose cache differs, by the beginning of their names; the first that fits holds. */
  readonly exceptions: readonly CacheException[];
  /** Provider whose rows of the model table it serves. */
  readonly serves: string;
  /** Prices of reads and writes as shares of the input price; null if they are those of the model's row. */
  readonly shares: PriceShares | null;
  /** Model whose prices a session of another provider is given here. */
  readonly defaultModel: string;
  /** What is not known, and what was assumed instead, in one sentence each. */
  readonly doubts: readonly string[];
  readonly source: string;
}

/** Differences for some models. */
export interface CacheException {
  readonly models: string;
  readonly rules: Partial<Pick<CacheRules, 'grain' | 'storesOutput'>>;
}

/** Prices as shares of the input price. */
export interface PriceShares {
  readonly read: number;
  readonly write: number;
  /** For entries that live longer. */
  readonly writeLong: number;
}

/** What is assumed if another model replaces the recorded one. */
export const SAME_TOKENS =
  'Prompts are taken to have as many tokens as in the recording, whatever the tokenizer.';
