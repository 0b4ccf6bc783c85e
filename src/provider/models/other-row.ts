import { thinkingRule } from '../../core/run/thinking-rule.js';
import type { Latency, ModelRow, PriceStep, Prices } from '../prices/model-row.js';

/** Dollars per million tokens; without a price for writes, what is not read costs what input costs. */
export interface OtherPrices {
  readonly input: number;
  readonly output: number;
  readonly read: number;
  readonly write?: number;
  /** For entries that live an hour; as `write` where absent. */
  readonly writeLong?: number;
}

/** What is said of a model of another provider than Anthropic. */
export interface OtherModel {
  readonly id: string;
  /** By name in the table of providers. */
  readonly provider: string;
  readonly aliases?: readonly string[];
  readonly window: number;
  readonly maxOutput: number;
  readonly prices: OtherPrices;
  /** Prices of the whole request above so many prompt tokens, ascending. */
  readonly steps?: readonly (OtherPrices & { readonly above: number })[];
  /** Shortest prefix that is cached; absent where nobody says. */
  readonly minimum?: number;
  readonly source: string;
  readonly notes?: string;
}

const LATENCY: Latency = { overheadMs: 1_500, prefillTokensPerSecond: 40_000, decodeTokensPerSecond: 70 };
const LATENCY_NOTE = 'Latency: assumed, about that of recorded models of other providers.';

function pricesOf({ input, output, read, write = input, writeLong = write }: OtherPrices): Prices {
  return { input, output, cacheRead: read, cacheWrite5m: write, cacheWrite1h: writeLong };
}

/** The row of a model of another provider: what is not said of it is what holds for most. */
export function otherRow(model: OtherModel): ModelRow {
  const { id, provider, aliases = [], window, maxOutput, prices, steps = [], minimum, source, notes } = model;
  return {
    id,
    provider,
    aliases,
    window,
    maxOutput,
    beta1m: 'unsupported',
    pricesAreKnown: true,
    pricesOf: null,
    pricesPerMTok: pricesOf(prices),
    priceSteps: steps.map((step): PriceStep => ({ overPromptTokens: step.above, prices: pricesOf(step) })),
    fastPricesPerMTok: null,
    minCacheableTokens: minimum ?? 0,
    thinking: thinkingRule(id),
    preservedThinking: false,
    defaults: { thinking: 'adaptive', effort: 'medium' },
    toolOverheadTokens: null,
    tokenizerScale: 1,
    latency: LATENCY,
    source,
    notes: notes === undefined ? LATENCY_NOTE : `${notes} ${LATENCY_NOTE}`,
  };
}
