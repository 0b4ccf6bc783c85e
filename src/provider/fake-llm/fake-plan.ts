import type { Random } from '../../core/base/random.js';
import type { Amount, FakeLlmPlan } from '../../core/run/run-plan.js';
import type { ModelRow } from '../prices/model-row.js';

/** How the fake LLM answers unless somebody says otherwise. */
export const DEFAULT_FAKE_LLM: FakeLlmPlan = {
  summaryTokens: { median: 4_400, p90: 6_500, min: 1_600, max: 9_000 }, // E6: 4.4–24.5 K characters, median 12 K, 2.75 a token
  scratchpadTokens: { median: 900, p90: 1_800, min: 200, max: 4_000 }, // assumed: a fifth of a summary
  notesTokens: { median: 350, p90: 900, min: 60, max: 3_000 }, // assumed: 7 % of the growth of 5,000 tokens that leads to an update
  latencyScale: 1,
};

/** The standard normal quantile at 0.9. */
const Z90 = 1.2815515655446004;

/** A whole number as planned: the fixed one, or a draw from a log-normal held between its limits. */
export function drawAmount(amount: Amount, random: Random): number {
  if ('fixed' in amount) return Math.round(amount.fixed);
  const { median, p90, min, max } = amount;
  if (median <= 0) return Math.round(min);
  const sigma = Math.log(Math.max(p90, median) / median) / Z90;
  const drawn = median * Math.exp(sigma * random.normal());
  return Math.round(Math.min(max, Math.max(min, drawn)));
}

/** Milliseconds until a response begins: overhead plus the prefill of what the cache did not serve. */
export function firstTokenMs(model: ModelRow, uncachedTokens: number, scale: number): number {
  const { overheadMs, prefillTokensPerSecond } = model.latency;
  return Math.round((overheadMs + (uncachedTokens / prefillTokensPerSecond) * 1_000) * scale);
}

/** Milliseconds until a response is complete. */
export function responseMs(
  model: ModelRow,
  uncachedTokens: number,
  outputTokens: number,
  scale: number,
): number {
  const decodeMs = (outputTokens / model.latency.decodeTokensPerSecond) * 1_000;
  return firstTokenMs(model, uncachedTokens, scale) + Math.round(decodeMs * scale);
}
