import type { ModelRow } from '../prices/model-row.js';

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
