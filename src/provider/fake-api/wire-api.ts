import type { Clock } from '../../core/base/clock.js';
import type { Usage } from '../../core/model/usage.js';
import type { ApiError } from '../cache/api-error.js';
import type { ModelRow } from '../prices/model-row.js';
import type { AnswerBlock, ApiAnswer } from './answer.js';
import type { ApiRequest } from './api-request.js';

/** What a call asks for. */
export interface WireCall {
  /** `unknown`: a path of this API that is not served. */
  readonly kind: 'create' | 'count' | 'models' | 'unknown';
  /** Model that the path names; null if the body does. */
  readonly model: string | null;
  /** Delivery that the path says; null if the body does. */
  readonly delivery: ApiRequest['delivery'] | null;
}

/** What a request is read with. */
export interface ReadOptions {
  readonly counter: { count(text: string): number };
  readonly workspace: string;
  readonly headers: Headers;
}

/** An answer to a request. */
export interface FinishedAnswer {
  readonly id: string;
  readonly request: ApiRequest;
  readonly answer: ApiAnswer;
  readonly usage: Usage;
  /** The summary that the API made first, null if it failed, and what it cost; absent if there was none. */
  readonly compaction?: {
    readonly summary: string | null;
    readonly usage: Usage;
    /** Whether it is all of the answer. */
    readonly isAlone: boolean;
  };
}

/** An answer as it goes over the wire. */
export interface WireAnswer {
  /** In one piece. */
  readonly body: unknown;
  /** In parts: the texts of a stream of server-sent events. */
  readonly parts: readonly string[];
  /** Content type of the parts where they are no server-sent events. */
  readonly streamType?: string;
}

/** One API over the wire: how its requests are read, and its answers, refusals and streams are written. */
export interface WireApi {
  readonly name: string;
  /** What a call asks for; null if this API has no such path. */
  find(method: string, path: string, headers: Headers, query: URLSearchParams): WireCall | null;
  /** What is wrong before the body is looked at; null when nothing is. */
  checkHeaders(headers: Headers, query: URLSearchParams): ApiError | null;
  /** Reads a request; one that the API would refuse throws a `Refusal`. */
  read(body: unknown, call: WireCall, options: ReadOptions): ApiRequest;
  /** Writes an answer; called once for each, in their order. */
  write(answer: FinishedAnswer): WireAnswer;
  /** A refusal of the cache, the fault plan or the server in this API's words and status; absent if they are its own. */
  reword?(error: ApiError): ApiError;
  /** The body of a refusal. */
  refusal(error: ApiError, requestId: string): unknown;
  /** An error in the middle of a stream. */
  streamError(error: ApiError): string;
  /** The body that counts the tokens of a request. */
  counted(request: ApiRequest): unknown;
  /** Models in a list, or the one that was asked for. */
  models(rows: readonly ModelRow[], asked: ModelRow | null): unknown;
  /** Whether it is the API of a model. */
  serves(model: ModelRow): boolean;
}

/** One server-sent event with its name. */
export function namedEvent(type: string, data: unknown): string {
  return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** One server-sent event without a name. */
export function dataEvent(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

const DELTA_CHARS = 48;

/** A text as the deltas of a stream carry it. */
export function pieces(text: string): readonly string[] {
  const parts: string[] = [];
  for (let from = 0; from < text.length; from += DELTA_CHARS)
    parts.push(text.slice(from, from + DELTA_CHARS));
  return parts;
}

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

/** A stream of parts, events unless their type is given, between the times of the first and the last. */
export function streamResponse(
  texts: readonly string[],
  requestId: string,
  clock: Clock,
  times: { readonly firstMs: number; readonly lastMs: number },
  type = 'text/event-stream; charset=utf-8',
): Response {
  const steps = Math.max(1, texts.length - 1);
  const parts = texts.map((text, i) => ({
    text,
    atMs: Math.round(times.firstMs + ((times.lastMs - times.firstMs) * i) / steps),
  }));
  return new Response(timedBody(parts, clock), {
    status: 200,
    headers: { 'content-type': type, 'request-id': requestId },
  });
}

/** Tokens of an answer that are thinking. */
export function thinkingTokens({ request, answer }: FinishedAnswer): number {
  let tokens = 0;
  for (const block of answer.content) if (block.type === 'thinking') tokens += request.count(block.thinking);
  return Math.min(tokens, answer.outputTokens);
}

/** The blocks of an answer; a tool call whose id another one of them has gets an id of its own. */
export function distinctBlocks({ answer }: FinishedAnswer): readonly AnswerBlock[] {
  const ids = new Set<string>();
  return answer.content.map((block, i) => {
    if (block.type !== 'tool_use') return block;
    const id = ids.has(block.id) ? `${block.id}_${i}` : block.id;
    ids.add(id);
    return { ...block, id };
  });
}
