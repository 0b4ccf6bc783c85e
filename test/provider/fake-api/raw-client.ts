import { createProviderCache } from '../../../src/provider/cache/prefix-cache.js';
import type { AnswerBlock } from '../../../src/provider/fake-api/answer.js';
import { type ApiCall, createFakeApi, type FakeApiOptions } from '../../../src/provider/fake-api/fake-api.js';
import { createGeminiApi } from '../../../src/provider/fake-api/gemini/gemini-api.js';
import { createMessagesApi } from '../../../src/provider/fake-api/messages/messages-api.js';
import { createChatApi } from '../../../src/provider/fake-api/openai/chat-api.js';
import { createResponsesApi } from '../../../src/provider/fake-api/openai/responses-api.js';
import { createClock } from '../../helpers/clock.js';

/** An event of a stream: its name, where it has one, and its data. */
export interface StreamedEvent {
  readonly event: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: JSON of another API
  readonly data: any;
}

/** What came back. */
export interface RawAnswer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: JSON of another API
  readonly json: any;
  readonly events: readonly StreamedEvent[];
}

function eventOf(part: string): StreamedEvent {
  const event = /^event: (.*)$/m.exec(part)?.[1] ?? null;
  const data = /^data: (.*)$/m.exec(part)?.[1] ?? 'null';
  return { event, data: data === '[DONE]' ? data : JSON.parse(data) };
}

/** A server that speaks every API over raw HTTP: one token a character makes every expected number plain arithmetic. */
export function setUpRaw(given: Partial<FakeApiOptions> = {}) {
  const clock = createClock();
  const calls: ApiCall[] = [];
  const api = createFakeApi({
    clock,
    counter: { count: (text) => text.length },
    cache: createProviderCache(({ provider }) => provider, { seed: 1 }),
    apis: [createResponsesApi(), createChatApi(), createGeminiApi(), createMessagesApi()],
    onCall: (call) => void calls.push(call),
    ...given,
  });
  async function send(method: string, path: string, headers: Record<string, string>, body?: unknown) {
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const response = await api.fetch(`http://fake.test${path}`, init);
    const text = await response.text();
    const type = response.headers.get('content-type') ?? '';
    const isStream = type.startsWith('text/event-stream');
    const answer: RawAnswer = {
      status: response.status,
      type,
      text,
      json: isStream ? null : JSON.parse(text),
      events: isStream
        ? text
            .split('\n\n')
            .filter((part) => part !== '')
            .map(eventOf)
        : [],
    };
    return answer;
  }
  return { clock, calls, send };
}

/** A thought, a text and two calls that have the same id. */
export const FULL_ANSWER: readonly AnswerBlock[] = [
  { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
  { type: 'text', text: 'I will look.' },
  { type: 'tool_use', id: 'call_1', name: 'read', input: { path: 'a.ts' } },
  { type: 'tool_use', id: 'call_1', name: 'read', input: { path: 'b.ts' } },
];

/** Tokens of the thought alone, and of the whole answer: 3 + 12 + 2 × (`read` and `{"path":"a.ts"}`). */
export const FULL_TOKENS = { thinking: 3, all: 3 + 12 + 2 * (4 + 15) };
