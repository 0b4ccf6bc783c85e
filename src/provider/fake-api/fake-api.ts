import type { Clock } from '../../core/base/clock.js';
import { apiUsage, promptTokens, type Usage } from '../../core/model/usage.js';
import type { CallPurpose, FaultRule } from '../../core/run/run-plan.js';
import { type ApiError, apiError, invalidRequest } from '../cache/api-error.js';
import type { CacheOutcome, PromptCache } from '../cache/prompt-cache.js';
import { createFakeLlm } from '../fake-llm/fake-llm.js';
import { type FaultPlan, faultDelayMs, faultError, NO_STATUS } from '../fake-llm/faults.js';
import { firstTokenMs } from '../fake-llm/latency.js';
import type { ModelRow } from '../prices/model-row.js';
import { findModel, MODELS } from '../prices/models.js';
import { type AnswerBlock, type ApiAnswer, defaultContent, finishAnswer } from './answer.js';
import { type CacheMissReason, type ComparedRequest, explainMiss } from './diagnostics.js';
import { refusesOverWindow } from './parameters.js';
import { type ApiRequest, type ReadOptions, readRequest } from './read-request.js';
import { errorResponse, jsonResponse, type StreamEvent, streamEvents, streamResponse } from './responses.js';
import { ThinkingBook } from './thinking-book.js';
import { readContent } from './wire-block.js';

/** A message as the API answers with it. */
function messageBody(
  id: string,
  request: ApiRequest,
  answer: ApiAnswer,
  usage: Usage,
  missReason: CacheMissReason | null,
) {
  const counts = apiUsage(usage);
  return {
    id,
    type: 'message',
    role: 'assistant',
    model: request.modelName,
    content: answer.content,
    stop_reason: answer.stopReason,
    stop_sequence: null,
    stop_details: null,
    container: null,
    diagnostics: request.diagnostics === 'off' ? null : { cache_miss_reason: missReason },
    usage: {
      ...counts,
      output_tokens_details: null,
      server_tool_use: null,
      service_tier: 'standard',
      inference_geo: 'not_available',
      speed: 'standard',
      ...(request.maxTokens === 0 ? { iterations: [{ type: 'message', ...counts }] } : {}),
    },
  };
}

/** What a client calls to reach a server. */
export type FetchLike = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** What was done with an answered call. */
export interface AnsweredCall {
  readonly request: ApiRequest;
  readonly purpose: CallPurpose;
  readonly outcome: CacheOutcome;
  readonly answer: ApiAnswer;
  /** How long the whole answer takes. */
  readonly latencyMs: number;
}

/** What the fake API is made of; only clock and counter are needed. */
export interface FakeApiOptions {
  /** Moves as bodies are read; a call starts at the time it shows. */
  readonly clock: Clock;
  readonly counter: { count(text: string): number };
  readonly cache?: PromptCache | null;
  readonly faults?: FaultPlan | null;
  /** Whether an error strikes a streamed answer before it begins or half-way. */
  readonly strike?: 'at-start' | 'mid-stream';
  readonly latencyScale?: number;
  readonly workspace?: string;
  /** What a call is for, as fault rules count it; `main` unless given. */
  readonly purposeOf?: (request: ApiRequest) => CallPurpose;
  /** What is answered. */
  readonly answer?: (request: ApiRequest) => readonly AnswerBlock[];
  /** Lifetime of every marker, whatever it asks for; null leaves it to the request. */
  readonly ttlMs?: number | null;
  /** Called for each call before its answer is read; `answered` is null for a refusal and for calls that bill nothing. */
  readonly onCall?: (call: ApiCall, answered: AnsweredCall | null) => void;
}

/** A call that was answered or refused. */
export interface ApiCall {
  readonly method: string;
  readonly path: string;
  readonly startMs: number;
  readonly status: number;
  /** Null for a refusal and for calls that bill nothing. */
  readonly usage: Usage | null;
  /** What the refusal says; null for an answer. */
  readonly error: string | null;
}

/** Largest body the API takes: 32 MB. */
export const MAX_BODY_BYTES = 32 * 1024 * 1024;

function modelBody(row: ModelRow): object {
  const { id, window, maxOutput } = row;
  return {
    type: 'model',
    id,
    display_name: id,
    created_at: '1970-01-01T00:00:00Z',
    max_input_tokens: window,
    max_tokens: maxOutput,
  };
}

function failNetwork(fault: FaultRule): Error {
  const error = new TypeError(fault.error === 'aborted' ? 'This operation was aborted' : 'fetch failed');
  if (fault.error === 'aborted') error.name = 'AbortError';
  return error;
}

function overWindow(request: ApiRequest): ApiError | null {
  const { promptTokens: prompt, maxTokens, windowTokens, model } = request;
  if (!refusesOverWindow(model) || prompt > windowTokens || prompt + maxTokens <= windowTokens) return null;
  return invalidRequest(
    `input length and \`max_tokens\` exceed context limit: ${prompt} + ${maxTokens} > ${windowTokens}, decrease input length or \`max_tokens\` and try again`,
  );
}

/** Half of the events, then either nothing more or the error. */
function interrupt(events: readonly StreamEvent[], error: ApiError): readonly StreamEvent[] {
  const kept = events.slice(0, Math.max(1, events.length >> 1));
  if (error.status === NO_STATUS) return kept;
  return [...kept, { type: 'error', error: { type: error.type, message: error.message } }];
}

type Target = Pick<ApiCall, 'method' | 'path'>;

/** Creates a server of the Messages API in this process: no socket, no wall clock. Give its `fetch` to the client. */
export function createFakeApi(options: FakeApiOptions): { readonly fetch: FetchLike } {
  const { clock, faults = null, strike = 'at-start', latencyScale = 1, answer = defaultContent } = options;
  const { ttlMs = null, onCall = () => {} } = options;
  const llm = createFakeLlm(options.cache ?? null, latencyScale);
  const history = new Map<string, ComparedRequest>();
  const thinkingBook = new ThinkingBook();
  let requests = 0;

  function report(target: Target, status: number, error: string | null, usage: Usage | null = null): ApiCall {
    return { ...target, startMs: clock.now, status, usage, error };
  }

  function refuse(
    error: ApiError,
    target: Target,
    delayMs: number,
    retryAfterSeconds: number | null = null,
  ): Response {
    const startMs = clock.now;
    onCall(report(target, error.status, error.message), null);
    return errorResponse(
      error,
      { requestId: `req_${requests}`, retryAfterSeconds },
      clock,
      startMs + delayMs,
    );
  }

  async function createMessage(request: ApiRequest, target: Target): Promise<Response> {
    const startMs = clock.now;
    const { model, view, salts, windowTokens } = request;
    const breakpoints =
      ttlMs === null ? request.breakpoints : request.breakpoints.map((mark) => ({ ...mark, ttlMs }));
    const purpose = options.purposeOf?.(request) ?? 'main';
    const fault = faults === null ? null : faults.next(purpose);
    const error = fault === null ? null : faultError(fault, request.promptTokens, windowTokens);
    const delayMs = fault === null ? 0 : faultDelayMs(fault);
    const overheadMs = Math.round(model.latency.overheadMs * latencyScale) + delayMs;
    const isMidStream = strike === 'mid-stream' && request.delivery === 'stream';
    if (error !== null && !isMidStream) {
      if (error.status === NO_STATUS) {
        onCall(report(target, NO_STATUS, error.message), null);
        await clock.advanceTo(startMs + overheadMs);
        throw failNetwork(fault!);
      }
      return refuse(error, target, overheadMs, fault!.retryAfterSeconds);
    }
    const over = overWindow(request);
    if (over !== null) return refuse(over, target, overheadMs);
    const given: ApiAnswer = finishAnswer(answer(request), request, error === null ? fault : null);
    const { outputTokens } = given;
    const call = { purpose, model, salts, view, breakpoints, startMs, windowTokens, outputTokens } as const;
    const reply = llm.call({ ...call, write: 'write', deleted: null, recordedLatencyMs: null });
    if (!reply.ok) return refuse(reply.error, target, reply.latencyMs + delayMs);
    const latencyMs = reply.latencyMs + delayMs;
    const wire = readContent(given.content, 'assistant', 'content', request.count);
    if (!('ok' in wire)) thinkingBook.note(request.spoken, wire);
    onCall(
      { ...report(target, 200, error?.message ?? null, reply.usage), startMs },
      { request: { ...request, breakpoints }, purpose, outcome: reply.outcome, answer: given, latencyMs },
    );
    const id = `msg_${requests}`;
    const previous = request.diagnostics === 'off' ? null : request.diagnostics.previousMessageId;
    const missReason = previous === null ? null : explainMiss(history.get(previous), request);
    if (request.diagnostics !== 'off') history.set(id, { model, view, salts });
    const message = messageBody(id, request, given, reply.usage, missReason);
    const requestId = `req_${requests}`;
    const lastMs = startMs + latencyMs;
    if (request.delivery === 'plain') return jsonResponse(message, { requestId }, clock, lastMs);
    const uncached = promptTokens(reply.usage) - reply.usage.cacheRead;
    const firstMs = startMs + firstTokenMs(model, uncached, latencyScale) + delayMs;
    const { content, stopReason } = given;
    const events = streamEvents({ message, content, stopReason, outputTokens });
    return streamResponse(error === null ? events : interrupt(events, error), requestId, clock, {
      firstMs,
      lastMs,
    });
  }

  function answerNow(body: unknown, target: Target): Response {
    onCall(report(target, 200, null), null);
    return jsonResponse(body, { requestId: `req_${requests}` }, clock, clock.now);
  }

  function listModels(target: Target): Response {
    const name = target.path.split('/')[3];
    if (name === undefined) {
      const rows = MODELS.rows.filter(({ id }) => id.startsWith('claude-'));
      const ends = { first_id: rows[0]!.id, last_id: rows.at(-1)!.id };
      const data = rows.map(modelBody);
      return answerNow({ data, has_more: false, ...ends }, target);
    }
    const row = findModel(decoded(name));
    return row === null ? refuse(notFound(`model: ${name}`), target, 0) : answerNow(modelBody(row), target);
  }

  function handle(target: Target, headers: Headers, body: string): Response | Promise<Response> {
    requests += 1;
    const denied = checkHeaders(headers, body);
    if (denied !== null) return refuse(denied, target, 0);
    const { method, path } = target;
    if (method === 'GET' && /^\/v1\/models(\/[^/]+)?$/.test(path)) return listModels(target);
    const isCount = path === '/v1/messages/count_tokens';
    if (method !== 'POST' || (!isCount && path !== '/v1/messages'))
      return refuse(notFound('Not Found'), target, 0);
    const purpose: ReadOptions['purpose'] = isCount ? 'count' : 'create';
    const betas = (headers.get('anthropic-beta') ?? '').split(',').map((name) => name.trim());
    const version = headers.get('anthropic-version') ?? '';
    const { counter, workspace = 'default' } = options;
    const request = readRequest(parseBody(body), {
      purpose,
      counter,
      workspace,
      version,
      betas,
      thinkingBook,
    });
    if (!request.ok) return refuse(request, target, 0);
    return isCount
      ? answerNow({ input_tokens: request.promptTokens }, target)
      : createMessage(request, target);
  }

  return {
    async fetch(input, init) {
      const request = typeof input === 'object' && 'url' in input ? input : null;
      const url = new URL(request === null ? String(input) : request.url);
      const method = (init?.method ?? request?.method ?? 'GET').toUpperCase();
      const body = request === null ? bodyText(init?.body) : await request.text();
      const headers = new Headers(init?.headers ?? request?.headers);
      return handle({ method, path: url.pathname }, headers, body);
    },
  };
}

function notFound(message: string): ApiError {
  return apiError(404, 'not_found_error', message);
}

/** A part of a path as it was meant; one that is encoded wrongly stands as it is. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function bodyText(body: RequestInit['body']): string {
  if (body === undefined || body === null) return '';
  return body instanceof Uint8Array ? new TextDecoder().decode(body) : String(body);
}

function parseBody(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

/** What is wrong before the body is looked at. The wording of the first two is ours. */
function checkHeaders(headers: Headers, body: string): ApiError | null {
  if (headers.get('authorization') === null && headers.get('x-api-key') === null) {
    return apiError(401, 'authentication_error', 'The request carries no API key.');
  }
  if (headers.get('anthropic-version') === null)
    return invalidRequest('anthropic-version: header is required');
  if (Math.max(body.length, Number(headers.get('content-length') ?? 0)) > MAX_BODY_BYTES) {
    return apiError(413, 'request_too_large', 'Request exceeds the maximum size');
  }
  return null;
}
