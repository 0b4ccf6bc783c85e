import { Recent } from '../../../core/base/recent.js';
import { apiUsage } from '../../../core/model/usage.js';
import { type ApiError, apiError, invalidRequest } from '../../cache/api-error.js';
import type { ModelRow } from '../../prices/model-row.js';
import { type CacheMissReason, type ComparedRequest, explainMiss } from '../diagnostics.js';
import { type FinishedAnswer, namedEvent, type WireApi, type WireCall } from '../wire-api.js';
import { messageEvents } from './message-events.js';
import { type MessagesRequest, readRequest } from './read-request.js';
import { ThinkingBook } from './thinking-book.js';
import { readContent } from './wire-block.js';

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
      inference_geo: 'not_available',
      speed: 'standard',
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
      const wire = readContent(answer.content, 'assistant', 'content', request.count);
      if (!('ok' in wire)) thinkingBook.note(request.spoken, wire);
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
