import type { Clock } from '../../core/base/clock.js';
import type { ApiError } from '../cache/api-error.js';
import type { AnswerBlock } from './answer.js';

/** A part of a body and the time at which it arrives. */
interface TimedPart {
  readonly text: string;
  readonly atMs: number;
}

/** A body that moves the clock as it is read, and not before: calls made together start at the same time. */
function timedBody(parts: readonly TimedPart[], clock: Clock): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let next = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const part = parts[next++];
        if (part === undefined) return controller.close();
        const arrival = clock.advanceTo(part.atMs);
        if (arrival !== undefined) await arrival;
        controller.enqueue(encoder.encode(part.text));
      },
    },
    { highWaterMark: 0 },
  );
}

/** A JSON answer that is complete at a time. */
export function jsonResponse(
  body: unknown,
  init: {
    readonly status?: number;
    readonly requestId: string;
    readonly headers?: Readonly<Record<string, string>>;
  },
  clock: Clock,
  atMs: number,
): Response {
  return new Response(timedBody([{ text: JSON.stringify(body), atMs }], clock), {
    status: init.status ?? 200,
    headers: { 'content-type': 'application/json', 'request-id': init.requestId, ...init.headers },
  });
}

/** A refusal in the API's shape. */
export function errorResponse(
  error: ApiError,
  init: { readonly requestId: string; readonly retryAfterSeconds?: number | null },
  clock: Clock,
  atMs: number,
): Response {
  const { requestId } = init;
  const body = { type: 'error', error: { type: error.type, message: error.message }, request_id: requestId };
  const wait = init.retryAfterSeconds ?? null;
  const headers = wait === null ? {} : { 'retry-after': String(wait) };
  return jsonResponse(body, { status: error.status, requestId, headers }, clock, atMs);
}

/** A stream of events between the times of the first and the last. */
export function streamResponse(
  events: readonly StreamEvent[],
  requestId: string,
  clock: Clock,
  times: { readonly firstMs: number; readonly lastMs: number },
): Response {
  const steps = Math.max(1, events.length - 1);
  const parts = events.map((event, i) => ({
    text: formatEvent(event),
    atMs: Math.round(times.firstMs + ((times.lastMs - times.firstMs) * i) / steps),
  }));
  return new Response(timedBody(parts, clock), {
    status: 200,
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'request-id': requestId },
  });
}

/** One server-sent event. */
export interface StreamEvent {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** What a streamed message is made of. */
interface StreamedMessage {
  /** The message as the plain answer has it. */
  readonly message: Readonly<Record<string, unknown>> & { readonly usage: Readonly<Record<string, unknown>> };
  readonly content: readonly AnswerBlock[];
  readonly stopReason: string;
  readonly outputTokens: number;
}

const DELTA_CHARS = 48;

function pieces(text: string): readonly string[] {
  const parts: string[] = [];
  for (let from = 0; from < text.length; from += DELTA_CHARS)
    parts.push(text.slice(from, from + DELTA_CHARS));
  return parts;
}

function* blockEvents(block: AnswerBlock, index: number): Generator<StreamEvent> {
  const delta = (value: object): StreamEvent => ({ type: 'content_block_delta', index, delta: value });
  const start = (value: object): StreamEvent => ({
    type: 'content_block_start',
    index,
    content_block: value,
  });
  switch (block.type) {
    case 'text':
      yield start({ type: 'text', text: '' });
      for (const text of pieces(block.text)) yield delta({ type: 'text_delta', text });
      break;
    case 'thinking':
      yield start({ type: 'thinking', thinking: '', signature: '' });
      for (const thinking of pieces(block.thinking)) yield delta({ type: 'thinking_delta', thinking });
      yield delta({ type: 'signature_delta', signature: block.signature });
      break;
    case 'tool_use':
      yield start({ type: 'tool_use', id: block.id, name: block.name, input: {} });
      for (const partial_json of pieces(JSON.stringify(block.input)))
        yield delta({ type: 'input_json_delta', partial_json });
      break;
  }
  yield { type: 'content_block_stop', index };
}

/** The events of a message, in the API's order. */
export function streamEvents(streamed: StreamedMessage): readonly StreamEvent[] {
  const { message, content, stopReason, outputTokens } = streamed;
  const events: StreamEvent[] = [
    {
      type: 'message_start',
      message: {
        ...message,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...message.usage, output_tokens: Math.min(1, outputTokens) },
      },
    },
    { type: 'ping' },
  ];
  for (const [index, block] of content.entries()) events.push(...blockEvents(block, index));
  events.push(
    {
      type: 'message_delta',
      delta: { stop_reason: stopReason, stop_sequence: null },
      usage: { output_tokens: outputTokens },
    },
    { type: 'message_stop' },
  );
  return events;
}

/** An event as it goes over the wire. */
function formatEvent(event: StreamEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
