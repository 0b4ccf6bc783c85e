import { CcbenchError } from '../../core/base/errors.js';

/** Counts with the API itself (TOK-10): texts leave this machine. */
export interface LiveCounter {
  /** Tokens of the texts as one prompt. */
  count(texts: readonly string[], model: string): Promise<number>;
}

/** What the API is reached with. */
export interface LiveCounterOptions {
  readonly apiKey: string;
  /** Where the API is; null takes the vendor's. */
  readonly baseUrl: string | null;
  readonly signal: AbortSignal;
}

const VENDOR_URL = 'https://api.anthropic.com';

/** Waits for throttles as the client does; counting has limits of its own. */
const MAX_RETRIES = 4;

function hintFor(status: number | undefined, baseUrl: string): string {
  if (status === undefined) return `is ${baseUrl} reachable? ANTHROPIC_BASE_URL says where the API is`;
  if (status === 401 || status === 403) return 'check ANTHROPIC_API_KEY';
  return 'the other counters need no network: --count-with gpt-tokenizer';
}

/** Creates a counter in front of the API's count endpoint; the client is loaded here and not before. */
export async function createLiveCounter(options: LiveCounterOptions): Promise<LiveCounter> {
  const { default: Anthropic, APIError } = await import('@anthropic-ai/sdk');
  const baseURL = options.baseUrl ?? VENDOR_URL;
  const client = new Anthropic({ apiKey: options.apiKey, baseURL, maxRetries: MAX_RETRIES });
  return {
    async count(texts, model) {
      try {
        const content = texts.map((text) => ({ type: 'text' as const, text }));
        const { input_tokens } = await client.messages.countTokens(
          { model, messages: [{ role: 'user', content }] },
          { signal: options.signal },
        );
        return input_tokens;
      } catch (error) {
        if (!(error instanceof APIError) || options.signal.aborted) throw error;
        throw new CcbenchError('bad-input', `the API did not count: ${error.apiMessage ?? error.message}`, {
          hint: hintFor(error.status, baseURL),
          cause: error,
        });
      }
    },
  };
}
