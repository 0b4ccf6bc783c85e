import { Recent } from '../../../core/base/queue.js';
import type { PrefixView } from '../../../core/model/prefix.js';
import { apiUsage } from '../../../core/model/usage.js';
import { type ApiError, apiError, invalidRequest, orRefusal, Refusal } from '../../cache/api-error.js';
import { hasTariff } from '../../prices/model-book.js';
import type { ModelRow } from '../../prices/model-row.js';
import type { AnswerBlock } from '../answer.js';
import type { ApiRequest } from '../api-request.js';
import { type FinishedAnswer, namedEvent, pieces, type WireApi, type WireCall } from '../wire-api.js';
import { type MessagesRequest, readRequest, ThinkingBook } from './read-request.js';
import { readContent } from './wire-block.js';

/** What of a request the next one is compared with. */
type ComparedRequest = Pick<ApiRequest, 'model' | 'salts'> & { readonly view: PrefixView };

/** Why the cache missed, as the API tells it: the earliest difference from the previous request. */
type CacheMissReason =
  | {
      readonly type: 'model_changed' | 'tools_changed' | 'system_changed' | 'messages_changed';
      readonly cache_missed_input_tokens: number;
    }
  | { readonly type: 'previous_message_not_found' | 'unavailable' };

/** The last position both prompts share up to, −1 when they differ from the start. */
export function sharedEnd(before: ComparedRequest, now: ComparedRequest): number {
  const length = Math.min(before.view.length, now.view.length);
  let end = -1;
  while (end + 1 < length && before.view.digests[end + 1] === now.view.digests[end + 1]) end += 1;
  return end;
}

/** Explains a request by the one before it; null when it only grew. */
function explainMiss(before: ComparedRequest | undefined, now: ApiRequest): CacheMissReason | null {
  if (before === undefined) return { type: 'previous_message_not_found' };
  if (before.model.id !== now.model.id) {
    return { type: 'model_changed', cache_missed_input_tokens: now.promptTokens };
  }
  const shared = sharedEnd(before, now);
  const missed = { cache_missed_input_tokens: now.promptTokens - (shared < 0 ? 0 : now.view.sums[shared]!) };
  const { toolsEnd, systemEnd, length } = before.view;
  if (shared + 1 < toolsEnd || now.view.toolsEnd !== toolsEnd) return { type: 'tools_changed', ...missed };
  if (shared + 1 < systemEnd || now.view.systemEnd !== systemEnd)
    return { type: 'system_changed', ...missed };
  if (shared + 1 < length) return { type: 'messages_changed', ...missed };
  return before.salts.messages === now.salts.messages ? null : { type: 'unavailable' };
}

/** One server-sent event of the Messages API. */
interface MessageEvent {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** A summary that the API made itself. */
interface CompactionBlock {
  readonly type: 'compaction';
  readonly content: string | null;
  readonly encrypted_content: string | null;
}

type StreamedBlock = AnswerBlock | CompactionBlock;

/** A message as the plain answer has it. */
interface StreamedMessage {
  readonly content: readonly StreamedBlock[];
  readonly stop_reason: string;
  readonly stop_sequence: string | null;
  readonly context_management?: unknown;
  readonly usage: Readonly<Record<string, unknown>> & { readonly output_tokens: number };
}

function* blockEvents(block: StreamedBlock, index: number): Generator<MessageEvent> {
  const delta = (value: object): MessageEvent => ({ type: 'content_block_delta', index, delta: value });
  const start = (value: object): MessageEvent => ({
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
    case 'compaction': {
      const { type: _type, ...rest } = block;
      yield start({ ...block, content: null, encrypted_content: null });
      yield delta({ type: 'compaction_delta', ...rest });
      break;
    }
  }
  yield { type: 'content_block_stop', index };
}

/** The events of a message, in the API's order. */
function messageEvents(whole: StreamedMessage): readonly string[] {
  const { context_management: edits, content, stop_reason, stop_sequence, ...message } = whole;
  const { iterations, ...usage } = message.usage;
  const { output_tokens } = usage;
  const events: MessageEvent[] = [
    {
      type: 'message_start',
      message: {
        ...message,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...usage, output_tokens: Math.min(1, output_tokens) },
      },
    },
    { type: 'ping' },
  ];
  for (const [index, block] of content.entries()) events.push(...blockEvents(block, index));
  events.push(
    {
      type: 'message_delta',
      delta: { stop_reason, stop_sequence },
      usage: { output_tokens, ...(iterations === undefined ? {} : { iterations }) },
      ...(edits === undefined ? {} : { context_management: edits }),
    },
    { type: 'message_stop' },
  );
  return events.map((event) => namedEvent(event.type, event));
}

/** The block that a summary comes in; what the API hides in it is not known. */
function compactionBlock({ spoken }: MessagesRequest, summary: string | null) {
  const sign = (name: string): string | null => (summary === null ? null : `${name}_${spoken.toString(36)}`);
  return {
    type: 'compaction',
    content: summary,
    encrypted_content: sign('enc'),
    signature: sign('sig'),
  } as const;
}

/** What each part of an answer used. */
function iterationsOf({ compaction, usage }: FinishedAnswer): readonly object[] {
  return [
    ...(compaction === undefined ? [] : [{ type: 'compaction', ...apiUsage(compaction.usage) }]),
    ...(compaction?.isAlone === true ? [] : [{ type: 'message', ...apiUsage(usage) }]),
  ];
}

/** A message as the API answers with it. */
function messageBody(finished: FinishedAnswer, missReason: CacheMissReason | null) {
  const { id, answer, usage, compaction } = finished;
  const request = finished.request as MessagesRequest;
  const counts = apiUsage(usage);
  return {
    id,
    type: 'message',
    role: 'assistant',
    model: request.modelName,
    content: [
      ...(compaction === undefined ? [] : [compactionBlock(request, compaction.summary)]),
      ...answer.content,
    ],
    stop_reason: compaction?.isAlone === true ? 'compaction' : answer.stopReason,
    stop_sequence: answer.stopSequence,
    stop_details: null,
    container: null,
    diagnostics: request.diagnostics === 'off' ? null : { cache_miss_reason: missReason },
    ...(request.edits === null ? {} : { context_management: { applied_edits: request.edits.applied } }),
    usage: {
      ...counts,
      output_tokens_details: null,
      server_tool_use: null,
      service_tier: 'standard',
      inference_geo: hasTariff(request.model, 'us') ? 'us' : 'not_available',
      speed: hasTariff(request.model, 'fast') ? 'fast' : 'standard',
      ...(request.showsIterations ? { iterations: iterationsOf(finished) } : {}),
    },
  };
}

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

const MODELS_PATH = /^\/v1\/models(?:\/([^/]+))?$/;

function find(method: string, path: string): WireCall | null {
  const call = { model: null, delivery: null } as const;
  if (method === 'POST' && path === '/v1/messages') return { ...call, kind: 'create' };
  if (method === 'POST' && path === '/v1/messages/count_tokens') return { ...call, kind: 'count' };
  const models = method === 'GET' ? MODELS_PATH.exec(path) : null;
  return models === null ? null : { ...call, kind: 'models', model: models[1] ?? null };
}

/** Versions of the API that were published. */
const VERSIONS = ['2023-01-01', '2023-06-01', '2026-10-21'];

function keyOf(headers: Headers): string {
  const bearer = headers.get('authorization')?.replace(/^bearer(?:\s+|$)/i, '');
  return (headers.get('x-api-key') || bearer || '').trim();
}

/** The wording of these is ours. */
function checkHeaders(headers: Headers): ApiError | null {
  if (keyOf(headers) === '') return apiError(401, 'authentication_error', 'The request carries no API key.');
  const version = headers.get('anthropic-version');
  if (version === null) return invalidRequest('anthropic-version: header is required');
  return VERSIONS.includes(version)
    ? null
    : invalidRequest(
        `anthropic-version: "${version}" is not a valid version; it is one of ${VERSIONS.join(', ')}`,
      );
}

/** Messages that a later one can be compared with. */
const MOST_MESSAGES = 1_000;

/** The Messages API. It remembers the thinking it gave away and the requests that diagnostics compare with. */
export function createMessagesApi(): WireApi {
  const thinkingBook = new ThinkingBook();
  const history = new Recent<string, ComparedRequest>(MOST_MESSAGES);
  return {
    name: 'messages',
    find,
    checkHeaders,
    read: (body, { kind }, options) =>
      readRequest(body, { ...options, purpose: kind === 'count' ? 'count' : 'create', thinkingBook }),
    write(finished) {
      const { id, request, answer } = finished;
      const asked = request as MessagesRequest;
      const wire = orRefusal(() => readContent(answer.content, 'assistant', 'content', request.count));
      if (!(wire instanceof Refusal)) thinkingBook.note(request.spoken, wire);
      const previous = asked.diagnostics === 'off' ? null : asked.diagnostics.previousMessageId;
      const missReason = previous === null ? null : explainMiss(history.get(previous), request);
      const { model, salts } = request;
      const { blocks: _texts, ...view } = request.view;
      if (asked.diagnostics !== 'off') history.set(id, { model, view, salts });
      const body = messageBody(finished, missReason);
      return {
        body,
        get parts() {
          return messageEvents(body);
        },
      };
    },
    refusal: ({ type, message }, requestId) => ({
      type: 'error',
      error: { type, message },
      request_id: requestId,
    }),
    streamError: ({ type, message }) => namedEvent('error', { type: 'error', error: { type, message } }),
    counted(request) {
      const { edits } = request as MessagesRequest;
      const original = edits && { context_management: { original_input_tokens: edits.originalTokens } };
      return { input_tokens: request.promptTokens, ...original };
    },
    models(rows, asked) {
      if (asked !== null) return modelBody(asked);
      const data = rows.map(modelBody);
      return { data, has_more: false, first_id: rows[0]!.id, last_id: rows.at(-1)!.id };
    },
    serves: ({ id }) => id.startsWith('claude-'),
  };
}
