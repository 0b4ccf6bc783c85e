import type { Clock } from '../../core/base/clock.js';
import { digestParts } from '../../core/base/digest.js';
import { attempt } from '../../core/base/errors.js';
import { NO_USAGE, promptTokens, type Usage } from '../../core/model/usage.js';
import type { CallPurpose, FaultRule } from '../../core/run/run-plan.js';
import { type ApiError, apiError, invalidRequest, orRefusal, Refusal } from '../cache/api-error.js';
import type { CacheOutcome, PromptCache } from '../cache/prompt-cache.js';
import { createFakeLlm, firstTokenMs, type LlmCall } from '../fake-llm/fake-llm.js';
import { type FaultPlan, faultDelayMs, faultError, NO_STATUS } from '../fake-llm/faults.js';
import { findModel, MODELS } from '../prices/models.js';
import { type AnswerBlock, type ApiAnswer, blockOfAnswer, finishAnswer, type GivenAnswer } from './answer.js';
import type { ApiRequest } from './api-request.js';
import { Conversations, type PlacedRequest } from './conversations.js';
import { createMessagesApi } from './messages/messages-api.js';
import {
  type FinishedAnswer,
  jsonResponse,
  streamResponse,
  type WireApi,
  type WireCall,
} from './wire-api.js';

/** Who says what is answered. */
export interface AnswerSource {
  /** Whether the main thread calls tools: a request that defines none is not part of it then. */
  readonly callsTools: boolean;
  /** Hears of a request before it is billed. */
  arrive?(place: PlacedRequest, request: ApiRequest): void;
  answer(request: ApiRequest, place: PlacedRequest): GivenAnswer;
}

/** Says how much it read, when nobody says otherwise. */
const PLACEHOLDER: AnswerSource = {
  callsTools: false,
  answer(request) {
    const { length } = request.messages;
    const text = `Read ${length} ${length === 1 ? 'turn' : 'turns'}.`;
    const said: AnswerBlock = { type: 'text', text };
    if (request.thinking === 'off') return { content: [said] };
    const signature = `sig_${request.spoken.toString(36)}`;
    return { content: [{ type: 'thinking', thinking: text, signature }, said] };
  },
};

/**
 * What caches without marks ask of a call: the first block of the answer, which some store with its prompt, and what chance is
 * drawn by: the beginning of the conversation and the whole prompt, never the time.
 */
function cacheFacts(
  { messages, view }: ApiRequest,
  content: readonly AnswerBlock[],
): Pick<LlmCall, 'answer' | 'luck'> {
  const session = digestParts(messages[0]?.blocks.map(({ digest }) => digest) ?? []);
  return {
    answer: content[0] === undefined ? null : blockOfAnswer(content[0], () => 0).digest,
    luck: { session, request: view.digests[view.length - 1] ?? 0 },
  };
}

/** What a client calls to reach a server. */
export type FetchLike = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** What was done with an answered call. */
export interface AnsweredCall {
  readonly request: ApiRequest;
  readonly place: PlacedRequest;
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
  /** What is answered, or who says it; a placeholder unless given. */
  readonly answer?: AnswerSource | ((request: ApiRequest) => readonly AnswerBlock[]);
  /** Lifetime of every marker, whatever it asks for; null leaves it to the request. */
  readonly ttlMs?: number | null;
  /** The APIs it speaks; the Messages API unless given. */
  readonly apis?: readonly WireApi[];
  /** Called for each call before its answer is read; `answered` is null for a refusal and for calls that bill nothing. */
  readonly onCall?: (call: ApiCall, answered: AnsweredCall | null) => void;
}

/** A call that was answered or refused. */
export interface ApiCall {
  /** The API it came through. */
  readonly api: string;
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

function failNetwork(fault: FaultRule): Error {
  const error = new TypeError(fault.error === 'aborted' ? 'This operation was aborted' : 'fetch failed');
  if (fault.error === 'aborted') error.name = 'AbortError';
  return error;
}

function overWindow(request: ApiRequest): ApiError | null {
  const { promptTokens: prompt, maxTokens, windowTokens } = request;
  if (request.overWindow === 'cut' || prompt > windowTokens || prompt + maxTokens <= windowTokens)
    return null;
  return invalidRequest(
    `input length and \`max_tokens\` exceed context limit: ${prompt} + ${maxTokens} > ${windowTokens}, decrease input length or \`max_tokens\` and try again`,
  );
}

/** Half of the parts, then either nothing more or the error. */
function interrupt(parts: readonly string[], error: ApiError, api: WireApi): readonly string[] {
  const kept = parts.slice(0, Math.max(1, parts.length >> 1));
  return error.status === NO_STATUS ? kept : [...kept, api.streamError(error)];
}

/** What a request is answered, what the client is told that it costs, and when it comes. */
interface BilledAnswer {
  readonly answer: ApiAnswer;
  readonly usage: Usage;
  /** What breaks it off half-way. */
  readonly error: ApiError | null;
  readonly firstMs: number;
  readonly lastMs: number;
}

const NO_ANSWER: ApiAnswer = { content: [], stopReason: 'end_turn', stopSequence: null, outputTokens: 0 };

/** What an answer says; null if it says nothing, or calls a tool in its place. */
function textOf({ content }: ApiAnswer): string | null {
  const said = content.map((block) => (block.type === 'text' ? block.text : ''));
  return content.some(({ type }) => type === 'tool_use') ? null : said.join('') || null;
}

interface Target extends Pick<ApiCall, 'method' | 'path'> {
  readonly api: WireApi;
  /** Names the call in headers and bodies. */
  readonly requestId: string;
}

/** Creates a server in this process: no socket, no wall clock. Give its `fetch` to the client. */
export function createFakeApi(options: FakeApiOptions): { readonly fetch: FetchLike } {
  const { clock, faults = null, strike = 'at-start', latencyScale = 1 } = options;
  const { ttlMs = null, onCall = () => {}, apis = [createMessagesApi()] } = options;
  const { answer: given = PLACEHOLDER } = options;
  const source: AnswerSource =
    typeof given === 'function'
      ? { callsTools: false, answer: (request) => ({ content: given(request) }) }
      : given;
  const conversations = new Conversations(source.callsTools ? 'with-tools' : 'any');
  const llm = createFakeLlm(options.cache ?? null, latencyScale);
  let requests = 0;

  function report(
    { method, path, api }: Target,
    status: number,
    error: string | null,
    usage: Usage | null = null,
  ): ApiCall {
    return { method, path, api: api.name, startMs: clock.now, status, usage, error };
  }

  function refuse(
    refused: ApiError,
    target: Target,
    delayMs: number,
    retryAfterSeconds: number | null = null,
  ): Response {
    const startMs = clock.now;
    const { api, requestId } = target;
    const error = api.reword?.(refused) ?? refused;
    onCall(report(target, error.status, error.message), null);
    const headers = retryAfterSeconds === null ? {} : { 'retry-after': String(retryAfterSeconds) };
    const init = { status: error.status, requestId, headers };
    return jsonResponse(api.refusal(error, requestId), init, clock, startMs + delayMs);
  }

  /** Answers a request and bills it, or says why not. */
  async function bill(
    request: ApiRequest,
    place: PlacedRequest,
    target: Target,
    startMs: number,
  ): Promise<BilledAnswer | Response> {
    const { model, view, salts, windowTokens } = request;
    const breakpoints =
      ttlMs === null ? request.breakpoints : request.breakpoints.map((mark) => ({ ...mark, ttlMs }));
    const purpose = place.kind === 'summary' ? 'compact' : 'main';
    const fault = faults === null ? null : faults.next(purpose, startMs);
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
    const wanted = source.answer(request, place);
    const finished: ApiAnswer = finishAnswer(wanted, request, error === null ? fault : null);
    conversations.note(place, finished.content);
    const { outputTokens } = finished;
    const call = { purpose, model, salts, view, breakpoints, startMs, windowTokens, outputTokens } as const;
    const facts = cacheFacts(request, finished.content);
    const reply = llm.call({
      ...call,
      ...facts,
      write: 'write',
      deleted: null,
      recordedLatencyMs: wanted.latencyMs ?? null,
    });
    if (!reply.ok) return refuse(reply.error, target, reply.latencyMs + delayMs);
    const { usage } = reply;
    const latencyMs = reply.latencyMs + delayMs;
    onCall(
      { ...report(target, 200, error?.message ?? null, usage), startMs },
      {
        request: { ...request, breakpoints },
        place,
        purpose,
        outcome: reply.outcome,
        answer: finished,
        latencyMs,
      },
    );
    const lastMs = startMs + latencyMs;
    const uncached = promptTokens(usage) - usage.cacheRead;
    const firstMs = Math.min(lastMs, startMs + firstTokenMs(model, uncached, latencyScale) + delayMs);
    return { answer: finished, usage: { ...usage, ...wanted.usage }, error, firstMs, lastMs };
  }

  async function createMessage(request: ApiRequest, target: Target): Promise<Response> {
    const place = conversations.find(request, clock.now);
    source.arrive?.(place, request);
    const { compaction } = request;
    if (compaction === undefined)
      return respond(request, await bill(request, place, target, clock.now), target);
    const summarised = await bill(compaction.ask, { ...place, kind: 'summary' }, target, clock.now);
    if (summarised instanceof Response) return summarised;
    const summary = textOf(summarised.answer);
    const behind = compaction.behind(summary);
    const { isAlone } = compaction;
    const made = { summary, usage: summarised.usage, isAlone };
    if (summary !== null) conversations.continueAfter(place, isAlone ? null : behind);
    if (isAlone) return respond(behind, { ...summarised, answer: NO_ANSWER, usage: NO_USAGE }, target, made);
    const how = summary === null ? place.how : 'after-summary';
    const billed = await bill(behind, { ...place, how }, target, summarised.lastMs);
    return respond(behind, billed, target, made);
  }

  function respond(
    request: ApiRequest,
    billed: BilledAnswer | Response,
    { api, requestId }: Target,
    compaction?: NonNullable<FinishedAnswer['compaction']>,
  ): Response {
    if (billed instanceof Response) return billed;
    const { answer, usage, error, firstMs, lastMs } = billed;
    const made = compaction === undefined ? {} : { compaction };
    const wire = api.write({ id: `msg_${requests}`, request, answer, usage, ...made });
    if (request.delivery === 'plain') return jsonResponse(wire.body, { requestId }, clock, lastMs);
    const parts = error === null ? wire.parts : interrupt(wire.parts, error, api);
    return streamResponse(parts, requestId, clock, { firstMs, lastMs }, wire.streamType);
  }

  function answerNow(body: unknown, target: Target): Response {
    onCall(report(target, 200, null), null);
    return jsonResponse(body, { requestId: target.requestId }, clock, clock.now);
  }

  function listModels(name: string | null, target: Target): Response {
    const { api } = target;
    const row = name === null ? null : findModel(attempt(() => decodeURIComponent(name), name));
    if (name !== null && row === null) return refuse(notFound(`model: ${name}`), target, 0);
    return answerNow(
      api.models(
        MODELS.rows.filter((model) => api.serves(model)),
        row,
      ),
      target,
    );
  }

  /** The first API that has such a call; the last one where none has it. */
  function findApi(method: string, url: URL, headers: Headers): [WireApi, WireCall | null] {
    for (const api of apis) {
      const call = api.find(method, url.pathname, headers, url.searchParams);
      if (call !== null) return [api, call];
    }
    return [apis.at(-1)!, null];
  }

  function handle(method: string, url: URL, headers: Headers, body: string): Response | Promise<Response> {
    requests += 1;
    const [api, call] = findApi(method, url, headers);
    const target = { method, path: url.pathname, api, requestId: `req_${requests}` };
    const denied = api.checkHeaders(headers, url.searchParams) ?? checkSize(headers, body);
    if (denied !== null) return refuse(denied, target, 0);
    if (call === null || call.kind === 'unknown') return refuse(notFound('Not Found'), target, 0);
    if (call.kind === 'models') return listModels(call.model, target);
    const { counter, workspace = 'default' } = options;
    const value: unknown = attempt(() => JSON.parse(body), null);
    const request = orRefusal(() => api.read(value, call, { counter, workspace, headers }));
    if (request instanceof Refusal) return refuse(request.error, target, 0);
    return call.kind === 'count' ? answerNow(api.counted(request), target) : createMessage(request, target);
  }

  return {
    async fetch(input, init) {
      const request = typeof input === 'object' && 'url' in input ? input : null;
      const url = new URL(request === null ? String(input) : request.url);
      const method = (init?.method ?? request?.method ?? 'GET').toUpperCase();
      const body = request === null ? bodyText(init?.body) : await request.text();
      const headers = new Headers(init?.headers ?? request?.headers);
      return handle(method, url, headers, body);
    },
  };
}

function notFound(message: string): ApiError {
  return apiError(404, 'not_found_error', message);
}

function bodyText(body: RequestInit['body']): string {
  if (body === undefined || body === null) return '';
  return body instanceof Uint8Array ? new TextDecoder().decode(body) : String(body);
}

function checkSize(headers: Headers, body: string): ApiError | null {
  return Math.max(body.length, Number(headers.get('content-length') ?? 0)) > MAX_BODY_BYTES
    ? apiError(413, 'request_too_large', 'Request exceeds the maximum size')
    : null;
}
