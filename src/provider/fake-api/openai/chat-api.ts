import { Refusal } from '../../cache/api-error.js';
import type { ModelRow } from '../../prices/model-row.js';
import { findModel, modelOrUnknown } from '../../prices/models.js';
import type { AnswerBlock, ApiAnswer } from '../answer.js';
import { type ApiRequest, asList, asObject, asText, type JsonObject } from '../api-request.js';
import { PromptDraft } from '../prompt-draft.js';
import {
  dataEvent,
  distinctBlocks,
  type FinishedAnswer,
  pieces,
  type ReadOptions,
  type WireApi,
  type WireCall,
} from '../wire-api.js';
import {
  checkKey,
  errorBody,
  finishRequest,
  missing,
  readFormat,
  readLimit,
  readParts,
  readResult,
  refuse,
  rewordOpenAi,
  unknownModel,
  usageParts,
} from './openai-request.js';

/** A request to Chat Completions. */
interface ChatRequest extends ApiRequest {
  /** Whether a stream ends with the usage. */
  readonly streamsUsage: boolean;
}

/** Names that only OpenAI gives: one that the table does not have is a mistake; any other may be a model of a compatible server. */
const OPENAI_NAME = /^(?:openai\/)?(?:gpt|chatgpt|codex|o\d)(?:-|$)/;

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function'] as const;

function readMessage(draft: PromptDraft, message: JsonObject, param: string): void {
  const role = asText(message.role) as (typeof ROLES)[number];
  if (!ROLES.includes(role))
    refuse(
      `Invalid value: '${role}'. Supported values are: ${ROLES.join(', ')}.`,
      'invalid_value',
      `${param}.role`,
    );
  const { content } = message;
  if (role === 'tool') {
    const id = asText(message.tool_call_id);
    if (id === null) missing(`${param}.tool_call_id`);
    readResult(draft, id, content);
    return;
  }
  if (role !== 'assistant') {
    if (content == null) missing(`${param}.content`);
    readParts(draft, role === 'user' || role === 'function' ? 'user' : 'system', content, `${param}.content`);
    return;
  }
  const thought = asText(message.reasoning_content) ?? asText(message.reasoning);
  if (thought !== null) draft.thinking(thought);
  readParts(draft, 'assistant', content, `${param}.content`);
  for (const [i, item] of (asList(message.tool_calls) ?? []).entries()) {
    const call = asObject(item);
    const called = asObject(call?.function) ?? asObject(call?.custom);
    const id = asText(call?.id);
    const name = asText(called?.name);
    if (id === null || name === null)
      missing(`${param}.tool_calls[${i}].${id === null ? 'id' : 'function.name'}`);
    draft.call(id, name, asText(called?.arguments) ?? asText(called?.input) ?? '');
  }
}

function checkPairs(draft: PromptDraft): void {
  const { calls, results } = draft.unpaired();
  if (results.length > 0)
    refuse(
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
      null,
      'messages',
    );
  if (calls.length === 0) return;
  const message = `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${calls.join(', ')}`;
  refuse(message, null, 'messages');
}

function read(value: unknown, options: ReadOptions): ChatRequest {
  const body = asObject(value);
  if (body === null) refuse('We could not parse the JSON body of your request.');
  const modelName = asText(body.model);
  if (modelName === null) refuse('you must provide a model parameter');
  if (findModel(modelName) === null && OPENAI_NAME.test(modelName))
    throw new Refusal(unknownModel(modelName));
  const model = modelOrUnknown(modelName);
  const list = asList(body.messages);
  if (list === null) missing('messages');
  if (typeof body.n === 'number' && body.n !== 1)
    refuse("This server gives one choice: 'n' must be 1.", 'unsupported_value', 'n');
  const maxTokens = readLimit(body, ['max_completion_tokens', 'max_tokens'], 1, model);
  const draft = new PromptDraft(model, options.counter);
  for (const [i, item] of (asList(body.tools) ?? []).entries()) {
    const tool = asObject(item);
    const defined = asObject(tool?.function) ?? asObject(tool?.custom);
    const name = asText(defined?.name);
    if (name === null) missing(`tools[${i}].function.name`);
    draft.tool(name, tool!, asObject(defined?.parameters) ?? {});
  }
  readFormat(draft, body);
  for (const [i, item] of list.entries()) {
    readMessage(draft, asObject(item) ?? {}, `messages[${i}]`);
  }
  if (draft.turns === 0)
    refuse("Invalid 'messages': at least one message of the user is required.", null, 'messages');
  checkPairs(draft);
  const effort = asText(body.reasoning_effort);
  const thinking = effort === null || effort === 'none' ? 'off' : 'on';
  const settings = { model, modelName, maxTokens, thinking } as const;
  const request = finishRequest(draft, body, options, settings, 'messages');
  return { ...request, streamsUsage: asObject(body.stream_options)?.include_usage === true };
}

function finishReason({ stopReason, content }: ApiAnswer): string {
  if (stopReason === 'max_tokens' || stopReason === 'model_context_window_exceeded') return 'length';
  return content.some(({ type }) => type === 'tool_use') ? 'tool_calls' : 'stop';
}

function usageBody(finished: FinishedAnswer): object {
  const { prompt, output, total, details, reasoning } = usageParts(finished);
  const { cacheRead } = finished.usage;
  return {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: total,
    prompt_tokens_details: details,
    completion_tokens_details: reasoning,
    ...(finished.request.model.provider === 'deepseek'
      ? { prompt_cache_hit_tokens: cacheRead, prompt_cache_miss_tokens: prompt - cacheRead }
      : {}),
  };
}

/** OpenAI keeps its reasoning to itself here; compatible servers show it. */
function showsReasoning({ provider }: ModelRow): boolean {
  return !provider.startsWith('openai');
}

function textOf(blocks: readonly AnswerBlock[], type: 'text' | 'thinking'): string | null {
  const texts = blocks.flatMap((block) =>
    block.type !== type
      ? []
      : block.type === 'text'
        ? block.text
        : block.type === 'thinking'
          ? block.thinking
          : [],
  );
  return texts.length === 0 ? null : texts.join('');
}

function* deltasOf(blocks: readonly AnswerBlock[], model: ModelRow): Generator<JsonObject> {
  yield { role: 'assistant', content: '' };
  let calls = 0;
  for (const block of blocks) {
    if (block.type === 'text') for (const content of pieces(block.text)) yield { content };
    else if (block.type === 'thinking') {
      if (showsReasoning(model))
        for (const piece of pieces(block.thinking)) yield { reasoning_content: piece };
    } else {
      const index = calls++;
      const { id, name } = block;
      yield { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] };
      for (const piece of pieces(JSON.stringify(block.input)))
        yield { tool_calls: [{ index, function: { arguments: piece } }] };
    }
  }
}

function write(finished: FinishedAnswer) {
  const { request, answer } = finished;
  const blocks = distinctBlocks(finished);
  const head = { id: finished.id.replace(/^msg/, 'chatcmpl'), created: 0, model: request.modelName };
  const usage = usageBody(finished);
  const finish_reason = finishReason(answer);
  const calls = blocks.flatMap((block) =>
    block.type === 'tool_use'
      ? {
          id: block.id,
          type: 'function',
          function: { name: block.name, arguments: JSON.stringify(block.input) },
        }
      : [],
  );
  const thought = showsReasoning(request.model) ? textOf(blocks, 'thinking') : null;
  const message = {
    role: 'assistant',
    content: textOf(blocks, 'text'),
    refusal: null,
    ...(thought === null ? {} : { reasoning_content: thought }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return {
    body: {
      ...head,
      object: 'chat.completion',
      choices: [{ index: 0, message, logprobs: null, finish_reason }],
      usage,
    },
    get parts() {
      const isReported = (request as ChatRequest).streamsUsage;
      const chunk = (choices: readonly object[], reported: object | null = null): string =>
        dataEvent({
          ...head,
          object: 'chat.completion.chunk',
          choices,
          ...(isReported ? { usage: reported } : {}),
        });
      const choice = (delta: object, reason: string | null = null): object => ({
        index: 0,
        delta,
        logprobs: null,
        finish_reason: reason,
      });
      return [
        ...[...deltasOf(blocks, request.model)].map((delta) => chunk([choice(delta)])),
        chunk([choice({}, finish_reason)]),
        ...(isReported ? [chunk([], usage)] : []),
        'data: [DONE]\n\n',
      ];
    },
  };
}

function modelBody({ id, provider }: ModelRow): object {
  return { id, object: 'model', created: 0, owned_by: provider };
}

const PATH = /^(?:\/v1)?\/(chat\/completions|models)(?:\/(.+))?$/;

/** Whatever else begins with `/v1` is a path of OpenAI's that is not served, unless it is one of the Messages API. */
function find(method: string, path: string, headers: Headers): WireCall | null {
  const [, what, model = null] = PATH.exec(path) ?? [];
  const call = { model, delivery: null };
  if (what === 'chat/completions')
    return { ...call, kind: method === 'POST' && model === null ? 'create' : 'unknown' };
  if (headers.has('anthropic-version') || headers.has('x-api-key') || /^\/v1\/messages\b/.test(path))
    return null;
  if (what === 'models' && method === 'GET') return { ...call, kind: 'models' };
  return path.startsWith('/v1/') && headers.has('authorization') ? { ...call, kind: 'unknown' } : null;
}

/** Chat Completions, as OpenAI and the servers that are compatible with it have it, and their list of models. */
export function createChatApi(): WireApi {
  return {
    name: 'chat',
    find,
    checkHeaders: checkKey,
    read: (body, _call, options) => read(body, options),
    write,
    reword: rewordOpenAi,
    refusal: errorBody,
    streamError: (error) => dataEvent(errorBody(error)),
    counted: ({ promptTokens }) => ({ input_tokens: promptTokens }),
    models: (rows, asked) =>
      asked === null ? { object: 'list', data: rows.map(modelBody) } : modelBody(asked),
    serves: () => true,
  };
}
