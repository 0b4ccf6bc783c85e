import type { ThinkingRule } from '../../core/model/model-name.js';
import type { Usage } from '../../core/model/usage.js';
import type { PlannedModel } from '../../core/run/run-plan.js';

/** List prices in US dollars per million tokens. */
export type Prices = Readonly<Record<keyof Usage, number>>;

/** Prices of the whole request once its prompt is longer than a limit. */
export interface PriceStep {
  readonly overPromptTokens: number;
  readonly prices: Prices;
}

/** How long a response takes: overhead + uncached tokens / prefill + output tokens / decode. */
export interface Latency {
  readonly overheadMs: number;
  readonly prefillTokensPerSecond: number;
  readonly decodeTokensPerSecond: number;
}

/** Tokens the API adds to the system prompt when a request has tools, by tool choice. */
export interface ToolOverhead {
  /** tool_choice auto or none. */
  readonly auto: number;
  /** tool_choice any or a named tool. */
  readonly forced: number;
}

/** What a model costs from a day on. */
export interface PricePeriod {
  /** First day of these prices (2026-07-01, UTC); null if it is not known, so that they hold for all days before the next ones. */
  readonly from: string | null;
  /** The model whose prices are taken where its own are not published; null if they are. */
  readonly pricesOf: string | null;
  readonly pricesPerMTok: Prices;
  /** Ascending by limit; empty for flat prices. */
  readonly priceSteps: readonly PriceStep[];
  readonly fastPricesPerMTok: Prices | null;
  /** What they rest on. */
  readonly source: string;
  /** Day on which they were last compared with the source. */
  readonly checked: string;
}

/** What a model cost before its prices changed. */
export interface EarlierPrices extends PricePeriod {
  /** The day they changed. */
  readonly until: string;
}

/** What the simulator knows about one model; the prices are its newest. */
export interface ModelRow extends PricePeriod, Pick<PlannedModel, 'id' | 'window' | 'maxOutput'> {
  /** The model at its list price, where this row is one of its tariffs: `claude-opus-5:fast`. */
  readonly tariffOf?: string;
  /** Whose list price it has and whose cache serves it, by name in the table of providers. */
  readonly provider: string;
  /** Other names of the same model, dated ones first. */
  readonly aliases: readonly string[];
  /** The 1M beta widens this model's window. */
  readonly beta1m: 'supported' | 'unsupported';
  /** Whether anybody says what the model costs; where not, all prices are 0. */
  readonly pricesAreKnown: boolean;
  /** Prices before the newest, oldest first. */
  readonly earlier: readonly EarlierPrices[];
  /** Factor on its prices behind an inference profile of a region (`us.anthropic.…`); absent if it is 1, or nobody says. */
  readonly regional?: number;
  /** A shorter prefix is neither written nor read. */
  readonly minCacheableTokens: number;
  /** What happens to earlier thinking blocks when the user speaks again. */
  readonly thinking: ThinkingRule;
  /** Thinking blocks are bound to the exact prefix they were made with. */
  readonly preservedThinking: boolean;
  /** What an omitted parameter means. */
  readonly defaults: { readonly thinking: 'disabled' | 'adaptive'; readonly effort: string };
  readonly toolOverheadTokens: ToolOverhead | null;
  /** Tokens for the same text, relative to the tokenizer of the models before 4.7. */
  readonly tokenizerScale: number;
  readonly latency: Latency;
  /** Assumptions and conflicts. */
  readonly notes: string;
}
