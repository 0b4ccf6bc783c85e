import type { Latency, ModelRow, PriceStep, Prices } from './model-row.js';

/** Dollars per million tokens; without a price for writes, what is not read costs what input costs. */
interface OtherPrices {
  readonly input: number;
  readonly output: number;
  readonly read: number;
  readonly write?: number;
}

/** What is said of a model of another provider than Anthropic. */
interface OtherModel {
  readonly id: string;
  readonly provider: string;
  readonly aliases?: readonly string[];
  readonly window: number;
  readonly maxOutput: number;
  readonly prices: OtherPrices;
  /** Prices of the whole request above so many prompt tokens. */
  readonly steps?: readonly (OtherPrices & { readonly above: number })[];
  /** Shortest prefix that is cached; absent where nobody says. */
  readonly minimum?: number;
  readonly source: string;
  readonly notes?: string;
}

const LATENCY: Latency = { overheadMs: 1_500, prefillTokensPerSecond: 40_000, decodeTokensPerSecond: 70 };
const LATENCY_NOTE = 'Latency: assumed, about that of recorded models of other providers.';

function pricesOf({ input, output, read, write }: OtherPrices): Prices {
  return { input, output, cacheRead: read, cacheWrite5m: write ?? input, cacheWrite1h: write ?? input };
}

function row(model: OtherModel): ModelRow {
  const { id, provider, aliases = [], window, maxOutput, prices, steps = [], minimum, source, notes } = model;
  return {
    id,
    provider,
    aliases,
    window,
    maxOutput,
    beta1m: 'unsupported',
    pricesPerMTok: pricesOf(prices),
    priceSteps: steps.map((step): PriceStep => ({ overPromptTokens: step.above, prices: pricesOf(step) })),
    fastPricesPerMTok: null,
    minCacheableTokens: minimum ?? 0,
    thinking: 'keep-all',
    preservedThinking: false,
    defaults: { thinking: 'adaptive', effort: 'medium' },
    toolOverheadTokens: null,
    tokenizerScale: 1,
    latency: LATENCY,
    source,
    notes: notes === undefined ? LATENCY_NOTE : `${notes} ${LATENCY_NOTE}`,
  };
}

const LITELLM = 'litellm price table, 8 August 2026';

/** Models of other providers than Anthropic, by provider. */
export const OTHER_MODELS: readonly ModelRow[] = [
  row({
    id: 'gpt-5.5',
    provider: 'openai',
    window: 272_000,
    maxOutput: 128_000,
    prices: { input: 5, output: 30, read: 0.5 },
    steps: [{ above: 272_000, input: 10, output: 45, read: 1 }],
    minimum: 1_024,
    source: LITELLM,
  }),
];
