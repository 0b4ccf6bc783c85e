import type { Usage } from '../../../core/model/usage.js';
import { isObject, numberOf } from '../../lines/narrow.js';

/** What a call was billed, as a rollout counts it. */
export interface RolloutUsage {
  readonly usage: Usage;
  readonly reasoning: number;
  /** Prompt and response together. */
  readonly total: number;
}

function count(value: unknown): number {
  return Math.max(0, numberOf(value) ?? 0);
}

/** The usage of a call: input includes what was read and written. Null when nothing is told. */
export function rolloutUsage(value: unknown): RolloutUsage | null {
  if (!isObject(value) || numberOf(value.input_tokens) === null) return null;
  const prompt = count(value.input_tokens);
  const cacheRead = Math.min(prompt, count(value.cached_input_tokens));
  const cacheWrite5m = Math.min(prompt - cacheRead, count(value.cache_write_input_tokens));
  const output = count(value.output_tokens);
  return {
    usage: { input: prompt - cacheRead - cacheWrite5m, cacheRead, cacheWrite5m, cacheWrite1h: 0, output },
    reasoning: Math.min(output, count(value.reasoning_output_tokens)),
    total: count(value.total_tokens),
  };
}

/** What tells the sums of a session after one call from those after another. */
export function totalsKey(value: unknown): string | null {
  if (!isObject(value)) return null;
  const { input_tokens, cached_input_tokens, output_tokens, total_tokens } = value;
  return [input_tokens, cached_input_tokens, output_tokens, total_tokens].map(count).join('-');
}
