import { Recent } from '../../../core/base/queue.js';
import { Refusal } from '../../cache/api-error.js';
import { findModel } from '../../prices/models.js';
import { type ApiRequest, asList, asObject, asText, type JsonObject } from '../api-request.js';
import { PromptDraft } from '../prompt-draft.js';
import {
  distinctBlocks,
  type FinishedAnswer,
  namedEvent,
  type ReadOptions,
  type WireApi,
  type WireCall,
} from '../wire-api.js';
import {
  checkKey,
  errorBody,
  finishRequest,
  missing,
  openAiError,
  readFormat,
  readLimit,
  refuse,
  rewordOpenAi,
  unknownModel,
  usageParts,
} from './openai-request.js';
import {
  COMPACTION_TRIGGER,
  checkCalls,
  type ItemSettings,
  inputItems,
  outputItems,
  type ResponseItem,
  readItem,
  responseEvents,
  storedItem,
} from './response-events.js';

/** A request to the Responses API. */
interface ResponsesRequest extends ApiRequest, ItemSettings {
  /** The conversation up to its answer, item by item. */
  readonly items: readonly ResponseItem[];
  readonly isStored: boolean;
  /** What of a reasoning item the client is shown. */
  readonly shows: { readonly summary: boolean; readonly encrypted: boolean };
  /** It came to `/responses/compact`, which answers with a list to go on from. */
  readonly isCompactCall: boolean;
  /** Parameters that the response repeats. */
  readonly echo: JsonObject;
}

/** A call of this API. */
interface ResponsesCall extends WireCall {
  readonly isCompactCall: boolean;
}

/** What would change the answer and is not simulated. */
const UNSUPPORTED = ['background', 'conversation', 'prompt'] as const;

/** Tokens of stored conversations, and items, that are kept: the latest, where the API keeps all for a month. */
const MOST_TOKENS = 10_000_000;
const MOST_ITEMS = 10_000;

/** What a response takes up at least, as tokens. */
const LEAST_TOKENS = 5_000;

/** Responses that were stored: their conversations by id, and their items by theirs. */
class ResponseStore {
  readonly #conversations = new Recent<string, readonly ResponseItem[]>(MOST_TOKENS);
  readonly #items = new Recent<string, ResponseItem>(MOST_ITEMS);

  add(id: string, { items, promptTokens }: ResponsesRequest, output: readonly ResponseItem[]): void {
    this.#conversations.set(id, [...items, ...output], Math.max(LEAST_TOKENS, promptTokens));
    for (const item of output) this.#items.set(asText(item.id)!, item);
  }

  /** The items of a conversation with what is new in it, or why there is no such conversation. */
  resolve(body: JsonObject): readonly ResponseItem[] {
    const param = 'previous_response_id';
    const previous = asText(body.previous_response_id);
    const before = previous === null ? [] : this.#conversations.get(previous);
    if (before === undefined)
      refuse(`Previous response with id '${previous}' not found.`, 'previous_response_not_found', param);
    const given = inputItems(body.input ?? []);
    if (given === null)
      refuse("Invalid type for 'input': expected a string or a list of items.", 'invalid_type', 'input');
    const items: ResponseItem[] = [];
    for (const [i, value] of given.entries()) {
      const item = asObject(value);
      if (item === null)
        refuse(`Invalid type for 'input[${i}]': expected an object.`, 'invalid_type', `input[${i}]`);
      const known = storedItem(item, this.#items);
      if (known === null) {
        const message = `Item with id '${asText(item.id)}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`;
        throw new Refusal(openAiError(404, message, null, 'input'));
      }
      items.push(known);
    }
    return [...before, ...items];
  }
}

function readTools(draft: PromptDraft, body: JsonObject): ReadonlyMap<string, string> {
  const types = new Map<string, string>();
  for (const item of asList(body.tools) ?? []) {
    const tool = asObject(item) ?? {};
    const type = asText(tool.type) ?? 'function';
    const name = asText(tool.name) ?? type;
    const text = { type: 'object', properties: { input: { type: 'string' } } };
    draft.tool(name, tool, asObject(tool.parameters) ?? (type === 'custom' ? text : {}));
    types.set(name, type);
  }
  return types;
}

function echoOf(body: JsonObject): JsonObject {
  const reasoning = asObject(body.reasoning);
  return {
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    metadata: body.metadata ?? {},
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: body.previous_response_id ?? null,
    prompt_cache_key: body.prompt_cache_key ?? null,
    reasoning: { effort: reasoning?.effort ?? null, summary: reasoning?.summary ?? null },
    service_tier: 'default',
    store: body.store ?? true,
    temperature: body.temperature ?? 1,
    text: body.text ?? { format: { type: 'text' } },
    tool_choice: body.tool_choice ?? 'auto',
    tools: body.tools ?? [],
    top_p: body.top_p ?? 1,
    truncation: body.truncation ?? 'disabled',
  };
}

function read(
  value: unknown,
  { isCompactCall }: ResponsesCall,
  options: ReadOptions,
  store: ResponseStore,
): ResponsesRequest {
  const body = asObject(value);
  if (body === null) refuse('We could not parse the JSON body of your request.');
  const modelName = asText(body.model);
  if (modelName === null) missing('model');
  const model = findModel(modelName);
  if (model === null) throw new Refusal(unknownModel(modelName));
  for (const name of UNSUPPORTED)
    if (body[name] != null && body[name] !== false)
      refuse(
        `Unsupported parameter: '${name}' is not supported with this server.`,
        'unsupported_parameter',
        name,
      );
  const maxTokens = readLimit(body, ['max_output_tokens'], 16, model);
  const found = store.resolve(body);
  const items = isCompactCall ? [...found, { type: COMPACTION_TRIGGER }] : found;
  const triggerAt = items.findIndex(({ type }) => type === COMPACTION_TRIGGER);
  if (triggerAt >= 0 && triggerAt < items.length - 1)
    refuse("The 'compaction_trigger' item must be the final input item.", null, 'input');
  const draft = new PromptDraft(model, options.counter);
  const toolTypes = readTools(draft, body);
  const instructions = asText(body.instructions);
  if (instructions !== null) draft.text('system', instructions);
  readFormat(draft, body);
  for (const [i, item] of items.entries()) {
    readItem(draft, item, `input[${i}]`);
  }
  if (draft.turns === 0)
    refuse(
      'One of "input" or "previous_response_id" must be provided.',
      'missing_required_parameter',
      'input',
    );
  checkCalls(draft);
  const reasoning = asObject(body.reasoning);
  const thinking = reasoning === null || reasoning.effort === 'none' ? 'off' : 'on';
  const settings = { model, modelName, maxTokens, thinking } as const;
  const request = finishRequest(draft, body, options, settings, 'input');
  return {
    ...request,
    ...(isCompactCall ? { delivery: 'plain' } : {}),
    toolTypes,
    isCompaction: triggerAt >= 0,
    isCompactCall,
    // The trigger is no part of the conversation, and nor is what it replaced.
    items: triggerAt >= 0 ? [] : items,
    isStored: body.store !== false,
    shows: {
      summary: reasoning?.summary != null || reasoning?.generate_summary != null,
      encrypted: (asList(body.include) ?? []).includes('reasoning.encrypted_content'),
    },
    echo: echoOf(body),
  };
}

/** A reasoning item as the request wants to see it. */
function shownItem(item: ResponseItem, { summary, encrypted }: ResponsesRequest['shows']): ResponseItem {
  if (item.type !== 'reasoning') return item;
  const { encrypted_content, ...rest } = item;
  return { ...rest, summary: summary ? item.summary : [], ...(encrypted ? { encrypted_content } : {}) };
}

function write(finished: FinishedAnswer, store: ResponseStore) {
  const request = finished.request as ResponsesRequest;
  const { stopReason } = finished.answer;
  const number = finished.id.replace(/^msg_/, '');
  const id = `resp_${number}`;
  const items = outputItems(distinctBlocks(finished), number, request);
  if (request.isStored) store.add(id, request, items);
  const output = items.map((item) => shownItem(item, request.shows));
  const { prompt, output: outputTokens, total, details, reasoning } = usageParts(finished);
  const usage = {
    input_tokens: prompt,
    input_tokens_details: details,
    output_tokens: outputTokens,
    output_tokens_details: reasoning,
    total_tokens: total,
  };
  if (request.isCompactCall)
    return { body: { id, object: 'response.compaction', created_at: 0, output, usage }, parts: [] };
  const isCut = stopReason === 'max_tokens' || stopReason === 'model_context_window_exceeded';
  const body = {
    id,
    object: 'response',
    created_at: 0,
    status: isCut ? 'incomplete' : 'completed',
    background: false,
    error: null,
    incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
    model: request.modelName,
    output,
    usage,
    ...request.echo,
  };
  return {
    body,
    get parts() {
      return responseEvents(body);
    },
  };
}

const PATH = /^(?:\/v1)?\/responses(?:\/(.*))?$/;

function find(method: string, path: string): ResponsesCall | null {
  const found = PATH.exec(path);
  if (found === null) return null;
  const call = { model: null, delivery: null, isCompactCall: found[1] === 'compact' };
  if (method === 'POST' && (found[1] === undefined || call.isCompactCall)) return { ...call, kind: 'create' };
  if (method === 'POST' && found[1] === 'input_tokens') return { ...call, kind: 'count' };
  return { ...call, kind: 'unknown' };
}

/** OpenAI's Responses API. It remembers the responses that are stored. */
export function createResponsesApi(): WireApi {
  const store = new ResponseStore();
  return {
    name: 'responses',
    find,
    checkHeaders: checkKey,
    read: (body, call, options) => read(body, call as ResponsesCall, options, store),
    write: (finished) => write(finished, store),
    reword: rewordOpenAi,
    refusal: errorBody,
    streamError(error) {
      const { code, message } = rewordOpenAi(error);
      const response = {
        object: 'response',
        status: 'failed',
        error: { code, message },
        output: [],
        usage: null,
      };
      return namedEvent('response.failed', { type: 'response.failed', response });
    },
    counted: ({ promptTokens }) => ({ object: 'response.input_tokens', input_tokens: promptTokens }),
    models: () => null,
    serves: ({ provider }) => provider.startsWith('openai'),
  };
}
