import { cacheWriteTokens, type Usage } from './usage.js';

/** Usage in the fields of the API. */
export function apiUsage(usage: Usage) {
  return {
    input_tokens: usage.input,
    cache_creation_input_tokens: cacheWriteTokens(usage),
    cache_read_input_tokens: usage.cacheRead,
    cache_creation: {
      ephemeral_5m_input_tokens: usage.cacheWrite5m,
      ephemeral_1h_input_tokens: usage.cacheWrite1h,
    },
    output_tokens: usage.output,
  };
}
