import type Anthropic from '@anthropic-ai/sdk';
import { CcbenchError } from '../../core/base/errors.js';

/** What the API is reached with. */
export interface LiveOptions {
  readonly apiKey: string;
  /** Where the API is; null takes the vendor's. */
  readonly baseUrl: string | null;
  readonly signal: AbortSignal;
}

/** The API itself: texts leave this machine. */
export interface LiveApi {
  readonly client: Anthropic;
  /** Does what asks the API; what it refuses becomes an error that says what was not done. */
  call<T>(refused: string, hint: string, work: () => PromiseLike<T>): Promise<T>;
}

const VENDOR_URL = 'https://api.anthropic.com';

/** Waits for throttles as the client does. */
const MAX_RETRIES = 4;

/** Where the API is, without anything secret that an address may hold. */
export function shownUrl(baseUrl: string | null): string {
  return baseUrl === null
    ? VENDOR_URL
    : URL.canParse(baseUrl)
      ? new URL(baseUrl).origin
      : 'ANTHROPIC_BASE_URL';
}

/** Opens the API; the client is loaded here and not before. */
export async function openLiveApi({ apiKey, baseUrl, signal }: LiveOptions): Promise<LiveApi> {
  const { default: Client, APIError } = await import('@anthropic-ai/sdk');
  const hintFor = (status: number | undefined, hint: string): string => {
    if (status === undefined)
      return `is ${shownUrl(baseUrl)} reachable? ANTHROPIC_BASE_URL says where the API is`;
    return status === 401 || status === 403 ? 'check ANTHROPIC_API_KEY' : hint;
  };
  return {
    client: new Client({ apiKey, baseURL: baseUrl ?? VENDOR_URL, maxRetries: MAX_RETRIES }),
    async call(refused, hint, work) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof APIError) || signal.aborted) throw error;
        throw new CcbenchError('bad-input', `${refused}: ${error.apiMessage ?? error.message}`, {
          hint: hintFor(error.status, hint),
          cause: error,
        });
      }
    },
  };
}

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
