import { ownValue } from '../../../core/base/own-value.js';
import { cacheWriteTokens, promptTokens } from '../../../core/model/usage.js';
import type { ApiError } from '../../cache/api-error.js';
import { Refusal } from '../../cache/api-error.js';
import { levelSalts, sessionSalts } from '../../cache/salts.js';
import type { ModelRow } from '../../prices/model-row.js';
import { cacheRulesOf } from '../../providers/providers.js';
import {
  type AnswerDemands,
  type ApiRequest,
  asList,
  asObject,
  asText,
  type JsonObject,
} from '../api-request.js';
import { readMarker } from '../messages/wire-block.js';
import type { DraftRole, PromptDraft } from '../prompt-draft.js';
import { type FinishedAnswer, type ReadOptions, thinkingTokens } from '../wire-api.js';

/** A refusal of OpenAI's APIs. */
interface OpenAiError extends ApiError {
  readonly code: string | null;
  /** The parameter that is wrong. */
  readonly param: string | null;
}

/** A refusal; a wrong request unless its type says otherwise. */
export function openAiError(
  status: number,
  message: string,
  code: string | null = null,
  param: string | null = null,
  type = 'invalid_request_error',
): OpenAiError {
  return { ok: false, status, type, message, code, param };
}

/** Refuses a request that is read. */
export function refuse(message: string, code: string | null = null, param: string | null = null): never {
  throw new Refusal(openAiError(400, message, code, param));
}

/** Refuses a request that lacks a parameter. */
export function missing(param: string): never {
  refuse(`Missing required parameter: '${param}'.`, 'missing_required_parameter', param);
}

/** The refusal of a model that is not served. */
export function unknownModel(name: string): OpenAiError {
  const message = `The model \`${name}\` does not exist or you do not have access to it.`;
  return openAiError(404, message, 'model_not_found', 'model');
}

/** The refusal of a prompt longer than the model takes. */
function tooLong(param: string | null): OpenAiError {
  const message =
    'Your input exceeds the context window of this model. Please adjust your input and try again.';
  return openAiError(400, message, 'context_length_exceeded', param);
}

/** A refusal that did not come from OpenAI's API, in its words and status. */
export function rewordOpenAi(error: ApiError): OpenAiError {
  if ('code' in error) return error as OpenAiError;
  const { status, message } = error;
  const model = /^model: (.*)$/.exec(message)?.[1];
  if (status === 404)
    return model === undefined ? openAiError(404, 'Unknown request URL', 'unknown_url') : unknownModel(model);
  if (/^prompt is too long/i.test(message)) return tooLong(null);
  switch (status) {
    case 429:
      return openAiError(
        429,
        'Rate limit reached. Please try again later.',
        'rate_limit_exceeded',
        null,
        'tokens',
      );
    case 529:
      return openAiError(
        503,
        'Our servers are currently overloaded. Please try again later.',
        'server_is_overloaded',
        null,
        'service_unavailable_error',
      );
    case 500: {
      const said = 'The server had an error while processing your request. Sorry about that!';
      return openAiError(500, said, 'server_error', null, 'server_error');
    }
    default:
      return openAiError(status, message);
  }
}

/** The body of a refusal. */
export function errorBody(error: ApiError): object {
  const { message, type, param, code } = rewordOpenAi(error);
  return { error: { message, type, param, code } };
}

const NO_KEY =
  "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).";

/** What is wrong with the headers of a call; null when nothing is. */
export function checkKey(headers: Headers): ApiError | null {
  return /^Bearer \S/i.test(headers.get('authorization') ?? '') ? null : openAiError(401, NO_KEY);
}

const IMAGES = new Set(['image_url', 'input_image']);
const FILES = new Set(['file', 'input_file', 'input_audio']);

/** Reads the content of a message: a text or a list of parts. */
export function readParts(draft: PromptDraft, role: DraftRole, content: unknown, param: string): void {
  if (typeof content === 'string') draft.text(role, content);
  else if (content != null && asList(content) === null)
    refuse(`Invalid type for '${param}': expected a string or a list of parts.`, 'invalid_type', param);
  for (const item of asList(content) ?? []) {
    const part = asObject(item);
    const type = asText(part?.type) ?? '';
    const text = asText(part?.text) ?? asText(part?.refusal);
    const ttlMs = readMarker(part?.cache_control, param);
    if (text !== null) draft.text(role, text, ttlMs);
    else if (IMAGES.has(type)) draft.media(role, 'image', item);
    else if (FILES.has(type)) draft.media(role, 'document', item);
    else draft.other(role, item);
  }
}

/** Reads what a tool gave back: a text, parts, or any other JSON. */
export function readResult(draft: PromptDraft, id: string, output: unknown): void {
  let text = '';
  let images = 0;
  for (const item of asList(output) ?? [output ?? '']) {
    const part = asObject(item);
    if (IMAGES.has(asText(part?.type) ?? '')) images += 1;
    else text += asText(item) ?? asText(part?.text) ?? JSON.stringify(item);
  }
  draft.result(id, text, images);
}

/** The most tokens of an answer: as asked for under one of these names, never more than the model gives. */
export function readLimit(
  body: JsonObject,
  names: readonly string[],
  least: number,
  { maxOutput }: ModelRow,
): number {
  for (const name of names) {
    const value = ownValue(body, name);
    if (value == null) continue;
    if (typeof value !== 'number' || !Number.isInteger(value))
      refuse(`Invalid type for '${name}': expected an integer.`, 'invalid_type', name);
    if (value < least) {
      const message = `Invalid '${name}': integer below minimum value. Expected a value >= ${least}, but got ${value} instead.`;
      refuse(message, 'integer_below_min_value', name);
    }
    return Math.min(value, maxOutput);
  }
  return maxOutput;
}

/** What the cache key depends on besides the prompt: the model, and the key that a request names. */
function saltsOf(body: JsonObject, model: ModelRow, { workspace }: ReadOptions): ApiRequest['salts'] {
  const salts = levelSalts({ model, workspace });
  const key = asText(body.prompt_cache_key);
  return key === null ? salts : sessionSalts(salts, key);
}

/** Models whose longest answer is set aside in the window: from GPT-5 on the prompt has what is left. */
const SET_ASIDE = /^gpt-[5-9]/;

/** The request that a prompt belongs to, or why it is refused; `param` names where the prompt is. */
export function finishRequest(
  draft: PromptDraft,
  body: JsonObject,
  options: ReadOptions,
  settings: Pick<ApiRequest, 'model' | 'modelName' | 'maxTokens' | 'thinking'>,
  param: string,
): ApiRequest {
  const { model } = settings;
  const salts = saltsOf(body, model, options);
  const demands = demandsOf(body, draft.toolNames);
  const delivery = body.stream === true ? 'stream' : 'plain';
  const request = draft.finish({ ...settings, ...demands, salts, delivery });
  const limit = SET_ASIDE.test(model.id) ? model.window - model.maxOutput : model.window;
  if (request.promptTokens > limit) throw new Refusal(tooLong(param));
  return request;
}

/** The format of an answer, as Chat Completions and as Responses say it. */
function formatOf(body: JsonObject): JsonObject | null {
  return asObject(body.response_format) ?? asObject(asObject(body.text)?.format);
}

/** A schema that the answer must follow is part of the prompt. */
export function readFormat(draft: PromptDraft, body: JsonObject): void {
  const format = formatOf(body);
  if (format?.type === 'json_schema') draft.text('system', JSON.stringify(format));
}

const CHOICES = { none: 'none', auto: 'auto', required: 'any' } as const;

/** What a request demands of its answer, or why it cannot. Chat Completions puts names and schemas one level deeper. */
function demandsOf(body: JsonObject, names: readonly string[]): AnswerDemands {
  const choice = asObject(body.tool_choice);
  const type = asText(choice?.type) ?? '';
  const inside = asObject(ownValue(choice, type)) ?? choice;
  const nameOf = (tool: JsonObject | null): string =>
    asText(tool?.name) ??
    asText(asObject(ownValue(tool, asText(tool?.type) ?? ''))?.name) ??
    asText(tool?.type) ??
    '';
  const isList = type === 'allowed_tools';
  const listed = isList ? (asList(inside?.tools) ?? []).map((tool) => nameOf(asObject(tool))) : null;
  const allowedTools = choice === null ? null : (listed ?? [nameOf(choice)]);
  const word = choice === null ? (body.tool_choice ?? 'auto') : isList ? inside?.mode : 'required';
  const toolChoice = ownValue(CHOICES, String(word));
  if (toolChoice === undefined)
    refuse(
      `Invalid value: '${String(word)}'. Supported values are: 'none', 'auto', and 'required'.`,
      'invalid_value',
      'tool_choice',
    );
  const absent = allowedTools?.find((name) => !names.includes(name));
  if (absent !== undefined)
    refuse(`Tool choice '${absent}' not found in 'tools' parameter.`, null, 'tool_choice');
  if (toolChoice === 'any' && names.length === 0)
    refuse(
      "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
      null,
      'tool_choice',
    );
  const format = formatOf(body);
  const schema = asObject(asObject(format?.json_schema)?.schema) ?? asObject(format?.schema);
  const isJson = format?.type === 'json_object' || format?.type === 'json_schema';
  return {
    toolChoice,
    ...(allowedTools === null ? {} : { allowedTools }),
    callsAtOnce: body.parallel_tool_calls === false ? 'one' : 'many',
    stopSequences: (asList(body.stop) ?? [body.stop]).flatMap((text) => asText(text) ?? []),
    ...(isJson ? { format: schema ?? { type: 'object' } } : {}),
  };
}

/** Usage as OpenAI tells it: all of the prompt, what of it was read and, by some models, what was written. */
export function usageParts(finished: FinishedAnswer) {
  const { request, usage } = finished;
  const { provider, id } = request.model;
  const prompt = promptTokens(usage);
  return {
    prompt,
    output: usage.output,
    total: prompt + usage.output,
    details: {
      cached_tokens: usage.cacheRead,
      ...(cacheRulesOf(provider, id).tellsWrites ? { cache_write_tokens: cacheWriteTokens(usage) } : {}),
    },
    reasoning: { reasoning_tokens: thinkingTokens(finished) },
  };
}
