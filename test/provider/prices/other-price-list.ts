import type { ListPrice } from './price-list.js';

/** Without a price for writes, what is written costs what input costs. */
function free(input: number, output: number, read: number): ListPrice {
  return [input, output, read, input, input];
}

/** One price for writes, however long they are kept. */
function paid(input: number, output: number, read: number, write: number): ListPrice {
  return [input, output, read, write, write];
}

/**
 * A second source for the models of other providers, written by hand and price by price. Up to GPT-5.5, DeepSeek V3, Kimi K2,
 * Gemini up to 3.5, Nova and MiniMax: the list of a gateway that sells at the vendors' prices, of summer 2026, where the table
 * rests on litellm or models.dev. GPT-5.6 and later: reseller pages and release notes of usage meters of August and September
 * 2026, where the table rests on the vendor's page. DeepSeek V4: a price guide of 27 October 2026. Qwen: litellm for input and
 * output, a fifth of input for reads. Grok: models.dev, where the table rests on litellm. GLM: ccusage's own table and pages of
 * resellers. Where only one source was found, its price is repeated: gemini-3.7-flash, gemini-3.8-flash, gpt-5.3-codex-spark,
 * grok-4.7, kimi-k3.1-pro, glm-4.5-air, MiniMax.
 */
export const OTHER_PRICE_LIST: Readonly<Record<string, ListPrice>> = {
  'gpt-6.1-terra': paid(1, 5, 0.05, 1.25),
  'gpt-6.1-sol': paid(2, 10, 0.1, 2.5),
  'gpt-6-astra': paid(10, 50, 1, 12.5),
  'gpt-6-sol': paid(2, 10, 0.2, 2.5),
  'gpt-6-luna': paid(0.1, 0.5, 0.01, 0.125),
  'gpt-5.6-sol': paid(4, 20, 0.4, 5),
  'gpt-5.6-terra': paid(2, 12, 0.2, 2.5),
  'gpt-5.6-luna': paid(0.2, 1.2, 0.02, 0.25),
  'gpt-5.5': free(5, 30, 0.5),
  'gpt-5.4': free(2.5, 15, 0.25),
  'gpt-5.4-mini': free(0.75, 4.5, 0.075),
  'gpt-5.4-nano': free(0.2, 1.25, 0.02),
  'gpt-5.3-codex': free(1.75, 14, 0.175),
  'gpt-5.3-codex-spark': free(1.75, 14, 0.175),
  'gpt-5.2': free(1.75, 14, 0.175),
  'gpt-5.2-codex': free(1.75, 14, 0.175),
  'gpt-5.1': free(1.25, 10, 0.125),
  'gpt-5.1-codex': free(1.25, 10, 0.125),
  'gpt-5.1-codex-max': free(1.25, 10, 0.125),
  'gpt-5.1-codex-mini': free(0.25, 2, 0.025),
  'gpt-5': free(1.25, 10, 0.125),
  'gpt-5-codex': free(1.25, 10, 0.125),
  'gpt-5-mini': free(0.25, 2, 0.025),
  'gpt-5-nano': free(0.05, 0.4, 0.005),
  'gpt-4.1': free(2, 8, 0.5),
  'gpt-4.1-mini': free(0.4, 1.6, 0.1),
  'gpt-4.1-nano': free(0.1, 0.4, 0.025),
  'gpt-4o': free(2.5, 10, 1.25),
  'gpt-4o-mini': free(0.15, 0.6, 0.075),
  o3: free(2, 8, 0.5),
  'o4-mini': free(1.1, 4.4, 0.275),
  'o3-mini': free(1.1, 4.4, 0.55),
  'gemini-3.8-flash': free(0.75, 3.75, 0.075),
  'gemini-3.7-flash': free(1.5, 7.5, 0.15),
  'gemini-3.5-flash': free(1.5, 9, 0.15),
  'gemini-3.1-pro': free(2, 12, 0.2),
  'gemini-3.1-flash-lite': free(0.25, 1.5, 0.025),
  'gemini-3-pro': free(2, 12, 0.2),
  'gemini-3-flash': free(0.5, 3, 0.05),
  'gemini-2.5-pro': free(1.25, 10, 0.125),
  'gemini-2.5-flash': free(0.3, 2.5, 0.03),
  'gemini-2.5-flash-lite': free(0.1, 0.4, 0.01),
  'gemini-2.0-flash': free(0.1, 0.4, 0.025),
  'nova-2-lite': free(0.3, 2.5, 0.075),
  'nova-pro': free(0.8, 3.2, 0.2),
  'nova-lite': free(0.06, 0.24, 0.015),
  'deepseek-v4-pro': free(0.66, 1.98, 0.022),
  'deepseek-v4-flash': free(0.15, 0.6, 0.003),
  'deepseek-chat': free(0.28, 0.42, 0.028),
  'deepseek-reasoner': free(0.28, 0.42, 0.028),
  'deepseek-v3': free(0.27, 1.1, 0.07),
  'qwen3.5-plus': free(0.4, 2.4, 0.08),
  'qwen3-coder-plus': free(1, 5, 0.2),
  'qwen3-coder-flash': free(0.3, 1.5, 0.06),
  'qwen3-max': free(1.2, 6, 0.24),
  'qwen-plus': free(0.4, 1.2, 0.08),
  'qwen-flash': free(0.05, 0.4, 0.01),
  'kimi-k3.1-pro': [2, 10, 0.2, 2, 4],
  'kimi-k3': [3, 15, 0.3, 3, 6],
  'kimi-k2.6': free(0.95, 4, 0.16),
  'kimi-k2.5': free(0.6, 3, 0.1),
  'kimi-k2-thinking': free(0.6, 2.5, 0.15),
  'kimi-k2': free(0.6, 2.5, 0.15),
  'grok-4.7': free(2, 6, 0.5),
  'grok-4.5': free(2, 6, 0.5),
  'grok-4.3': free(1.25, 2.5, 0.2),
  'grok-4-1-fast': free(0.2, 0.5, 0.05),
  'grok-4': free(3, 15, 0.75),
  'grok-code-fast-1': free(0.2, 1.5, 0.02),
  'glm-5.3': free(1.4, 4.4, 0.26),
  'glm-5.2': free(1.4, 4.4, 0.26),
  'glm-5.1': free(1.4, 4.4, 0.26),
  'glm-5': free(1, 3.2, 0.2),
  'glm-4.7': free(0.6, 2.2, 0.11),
  'glm-4.6': free(0.6, 2.2, 0.11),
  'glm-4.5': free(0.6, 2.2, 0.11),
  'glm-4.5-air': free(0.2, 1.1, 0.03),
  'minimax-m3': free(0.3, 1.2, 0.06),
  'minimax-m2.5': paid(0.3, 1.2, 0.03, 0.375),
  'minimax-m2.1': paid(0.3, 1.2, 0.03, 0.375),
  'minimax-m2': paid(0.3, 1.2, 0.03, 0.375),
};

/** Prices of a whole request whose prompt is longer than a limit, one step after the other. */
export const OTHER_STEPS: Readonly<
  Record<string, readonly { readonly over: number; readonly price: ListPrice }[]>
> = {
  'gpt-6.1-terra': [{ over: 272_000, price: paid(2, 7.5, 0.1, 2.5) }],
  'gpt-6.1-sol': [{ over: 272_000, price: paid(4, 15, 0.2, 5) }],
  'gpt-6-astra': [{ over: 272_000, price: paid(20, 75, 2, 25) }],
  'gpt-6-sol': [{ over: 272_000, price: paid(4, 15, 0.4, 5) }],
  'gpt-6-luna': [{ over: 272_000, price: paid(0.2, 0.75, 0.02, 0.25) }],
  'gpt-5.6-sol': [{ over: 272_000, price: paid(8, 30, 0.8, 10) }],
  'gpt-5.6-terra': [{ over: 272_000, price: paid(4, 18, 0.4, 5) }],
  'gpt-5.6-luna': [{ over: 272_000, price: paid(0.4, 1.8, 0.04, 0.5) }],
  'gpt-5.5': [{ over: 272_000, price: free(10, 45, 1) }],
  'gpt-5.4': [{ over: 272_000, price: free(5, 22.5, 0.5) }],
  'gemini-3.1-pro': [{ over: 200_000, price: free(4, 18, 0.4) }],
  'gemini-3-pro': [{ over: 200_000, price: free(4, 18, 0.4) }],
  'gemini-2.5-pro': [{ over: 200_000, price: free(2.5, 15, 0.25) }],
  'qwen3.5-plus': [{ over: 256_000, price: free(0.5, 3, 0.1) }],
  'qwen3-coder-plus': [
    { over: 32_000, price: free(1.8, 9, 0.36) },
    { over: 128_000, price: free(3, 15, 0.6) },
    { over: 256_000, price: free(6, 60, 1.2) },
  ],
  'qwen3-coder-flash': [
    { over: 32_000, price: free(0.5, 2.5, 0.1) },
    { over: 128_000, price: free(0.8, 4, 0.16) },
    { over: 256_000, price: free(1.6, 9.6, 0.32) },
  ],
  'qwen3-max': [
    { over: 32_000, price: free(2.4, 12, 0.48) },
    { over: 128_000, price: free(3, 15, 0.6) },
  ],
  'qwen-plus': [{ over: 256_000, price: free(1.2, 3.6, 0.24) }],
  'qwen-flash': [{ over: 256_000, price: free(0.25, 2, 0.05) }],
  'grok-4.7': [{ over: 200_000, price: free(4, 12, 1) }],
  'grok-4.5': [{ over: 200_000, price: free(4, 12, 1) }],
  'grok-4.3': [{ over: 200_000, price: free(2.5, 5, 0.4) }],
  'grok-4-1-fast': [{ over: 128_000, price: [0.4, 1, 0.05, 0.4, 0.4] }],
  'grok-4': [{ over: 128_000, price: [6, 30, 0.75, 6, 6] }],
};
