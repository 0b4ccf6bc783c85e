import type { Transcript } from '../../../src/core/model/transcript.js';
import { codexReader } from '../../../src/transcripts/readers/codex/read.js';

/** What a line holds. */
export type Payload = Readonly<Record<string, unknown>>;

export function line(second: number, type: string, payload: Payload): string {
  const timestamp = new Date(Date.UTC(2026, 0, 1) + second * 1_000).toISOString();
  return JSON.stringify({ timestamp, type, payload });
}

export const meta = (second: number, more: Payload = {}) =>
  line(second, 'session_meta', { id: 's', cli_version: '0.150.0', model_provider: 'openai', ...more });
export const turn = (second: number, model = 'gpt-5.5', effort = 'high') =>
  line(second, 'turn_context', { model, effort });
export const event = (second: number, type: string, more: Payload = {}) =>
  line(second, 'event_msg', { type, ...more });
export const item = (second: number, type: string, more: Payload) =>
  line(second, 'response_item', { type, ...more });
export const say = (second: number, role: string, text: string, more: Payload = {}) =>
  item(second, 'message', {
    role,
    content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
    ...more,
  });
export const call = (second: number, id: string, name = 'shell') =>
  item(second, 'function_call', { name, arguments: '{"command":["ls"]}', call_id: id });
export const result = (second: number, id: string, output: unknown = 'a.txt') =>
  item(second, 'function_call_output', { call_id: id, output });

/** What a call was billed. */
export interface Counts {
  readonly input: number;
  readonly cached?: number;
  readonly output?: number;
  readonly written?: number;
  readonly reasoning?: number;
}

export const raw = ({ input, cached = 0, output = 10, written = 0, reasoning = 0 }: Counts): Payload => ({
  input_tokens: input,
  cached_input_tokens: cached,
  cache_write_input_tokens: written,
  output_tokens: output,
  reasoning_output_tokens: reasoning,
  total_tokens: input + output,
});
/** The count of a call: the session's sum of input tells one from another. */
export const count = (second: number, sum: number, last: Counts) =>
  event(second, 'token_count', {
    info: {
      total_token_usage: raw({ input: sum }),
      last_token_usage: raw(last),
      model_context_window: 258_400,
    },
  });

/** Reads the lines of a rollout. */
export function read(lines: readonly string[], end = '\n'): Transcript {
  return codexReader.read(Buffer.from(lines.join('\n') + end), { id: 'rollout' });
}
