import { type LiveOptions, openLiveApi } from './live-api.js';

/** Counts with the API itself (TOK-10): texts leave this machine. */
export interface LiveCounter {
  /** Tokens of the texts as one prompt. */
  count(texts: readonly string[], model: string): Promise<number>;
}

/** Creates a counter in front of the API's count endpoint. */
export async function createLiveCounter(options: LiveOptions): Promise<LiveCounter> {
  const { client, call } = await openLiveApi(options);
  return {
    async count(texts, model) {
      const content = texts.map((text) => ({ type: 'text' as const, text }));
      const { input_tokens } = await call(
        'the API did not count',
        'the other counters need no network: --count-with gpt-tokenizer',
        () =>
          client.messages.countTokens(
            { model, messages: [{ role: 'user', content }] },
            { signal: options.signal },
          ),
      );
      return input_tokens;
    },
  };
}
