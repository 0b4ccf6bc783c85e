/** Token counts of one API response. prompt = input + cacheRead + cacheWrite5m + cacheWrite1h (CCH-3). */
export interface Usage {
  /** Tokens after the last breakpoint: neither read from the cache nor written to it. */
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly output: number;
}

/** Usage of no response at all. */
export const NO_USAGE: Usage = { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0 };

/** The usage of two responses together. */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite5m: a.cacheWrite5m + b.cacheWrite5m,
    cacheWrite1h: a.cacheWrite1h + b.cacheWrite1h,
    output: a.output + b.output,
  };
}

/** Tokens of the whole prompt. */
export function promptTokens(usage: Usage): number {
  return usage.input + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h;
}

/** Tokens written to the cache, both lifetimes. */
export function cacheWriteTokens(usage: Usage): number {
  return usage.cacheWrite5m + usage.cacheWrite1h;
}

/** Context size after the response (TOK-4). */
export function totalTokens(usage: Usage): number {
  return promptTokens(usage) + usage.output;
}

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
