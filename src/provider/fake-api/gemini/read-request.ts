import { ownValue } from '../../../core/base/own-value.js';
import { type ApiError, apiError, Refusal } from '../../cache/api-error.js';
import { levelSalts } from '../../cache/salts.js';
import { findModel } from '../../prices/models.js';
import {
  type AnswerDemands,
  type ApiRequest,
  asList,
  asObject,
  asText,
  type JsonObject,
} from '../api-request.js';
import { type DraftRole, PromptDraft } from '../prompt-draft.js';
import type { ReadOptions, WireCall } from '../wire-api.js';

/** A call of the Gemini API. */
export interface GeminiCall extends WireCall {
  /** Streams are server-sent events only where `alt=sse` asks for them. */
  readonly streamsAs: 'events' | 'array';
}

/** A request to the Gemini API. */
export interface GeminiRequest extends ApiRequest, Pick<GeminiCall, 'streamsAs'> {
  readonly showsThoughts: boolean;
}

/** A refusal with status 400. */
export function invalidArgument(message: string): ApiError {
  return apiError(400, 'INVALID_ARGUMENT', message);
}

function refuse(message: string): never {
  throw new Refusal(invalidArgument(message));
}

/** The refusal of a model that is not served. */
export function unknownModel(name: string): ApiError {
  const message = `models/${name} is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.`;
  return apiError(404, 'NOT_FOUND', message);
}

/** A field by its name in JSON; its name in the protocol, with underscores, is taken too. */
function field(source: JsonObject | null, name: string): unknown {
  const inProtocol = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return ownValue(source, name) ?? ownValue(source, inProtocol);
}

/** Ids of calls: clients may leave them out, so calls and responses are paired in their order. */
class CallIds {
  #open: string[] = [];
  #calls = 0;

  call(id: string | null): string {
    const known = id ?? `call ${this.#calls}`;
    this.#calls += 1;
    this.#open.push(known);
    return known;
  }

  /** The id that a response answers; null if no call is open. */
  response(id: string | null): string | null {
    const at = id === null ? 0 : this.#open.indexOf(id);
    return this.#open.splice(Math.max(0, at), 1)[0] ?? null;
  }

  get open(): number {
    return this.#open.length;
  }
}

const UNEQUAL =
  'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.';

function readPart(draft: PromptDraft, part: JsonObject, role: DraftRole, ids: CallIds): void {
  const text = asText(part.text);
  const call = asObject(field(part, 'functionCall'));
  const response = asObject(field(part, 'functionResponse'));
  const data = asObject(field(part, 'inlineData')) ?? asObject(field(part, 'fileData'));
  if (text !== null && part.thought === true) draft.thinking(text);
  else if (text !== null) draft.text(role, text);
  else if (call !== null)
    draft.call(ids.call(asText(call.id)), asText(call.name) ?? '', JSON.stringify(call.args ?? {}));
  else if (response !== null) {
    const id = ids.response(asText(response.id));
    if (id === null) refuse(UNEQUAL);
    draft.result(id, JSON.stringify(response.response ?? {}), 0);
  } else if (data !== null) {
    const isImage = asText(field(data, 'mimeType'))?.startsWith('image/') === true;
    draft.media(role, isImage ? 'image' : 'document', part);
  } else draft.other(role, part);
}

function readContents(draft: PromptDraft, body: JsonObject): void {
  const ids = new CallIds();
  let turn = 'user';
  for (const [i, item] of (asList(body.contents) ?? []).entries()) {
    const content = asObject(item);
    const role = asText(content?.role) ?? 'user';
    if (role !== 'user' && role !== 'model' && role !== 'function')
      refuse('Please use a valid role: user, model.');
    const parts = asList(content?.parts) ?? [];
    if (parts.length === 0)
      refuse(`* GenerateContentRequest.contents[${i}].parts: contents.parts must not be empty.`);
    if (role === 'model' && turn !== 'model' && ids.open > 0) refuse(UNEQUAL);
    turn = role;
    for (const part of parts) {
      readPart(draft, asObject(part) ?? {}, role === 'model' ? 'assistant' : 'user', ids);
    }
  }
  if (draft.turns === 0) refuse('* GenerateContentRequest.contents: contents is not specified');
  if (turn !== 'model' && ids.open > 0) refuse(UNEQUAL);
}

function readTools(draft: PromptDraft, body: JsonObject): void {
  for (const item of asList(body.tools) ?? []) {
    const tool = asObject(item) ?? {};
    const functions = asList(field(tool, 'functionDeclarations'));
    for (const value of functions ?? []) {
      const declared = asObject(value) ?? {};
      const input = asObject(declared.parameters) ?? asObject(field(declared, 'parametersJsonSchema'));
      draft.tool(asText(declared.name) ?? '', declared, input ?? {});
    }
    if (functions === null) draft.tool(Object.keys(tool)[0] ?? '', tool, {});
  }
}

function readSystem(draft: PromptDraft, body: JsonObject): void {
  const system = field(body, 'systemInstruction');
  if (typeof system === 'string') draft.text('system', system);
  const parts = asObject(system)?.parts;
  for (const part of asList(parts) ?? [parts]) {
    const text = asText(asObject(part)?.text);
    if (text !== null) draft.text('system', text);
  }
}

const MODES: Readonly<Record<string, NonNullable<AnswerDemands['toolChoice']>>> = {
  MODE_UNSPECIFIED: 'auto',
  AUTO: 'auto',
  VALIDATED: 'auto',
  ANY: 'any',
  NONE: 'none',
};

function demandsOf(body: JsonObject, config: JsonObject | null, names: readonly string[]): AnswerDemands {
  const calling = asObject(field(asObject(field(body, 'toolConfig')), 'functionCallingConfig'));
  const mode = asText(calling?.mode)?.toUpperCase() ?? 'AUTO';
  const toolChoice = ownValue(MODES, mode);
  if (toolChoice === undefined)
    refuse(`Invalid value at 'tool_config.function_calling_config.mode': "${mode}"`);
  const allowed = asList(field(calling, 'allowedFunctionNames'))?.map(String) ?? [];
  const absent = allowed.find((name) => !names.includes(name));
  if (absent !== undefined)
    refuse(`* allowed_function_names: "${absent}" is not among the function declarations.`);
  if (toolChoice === 'any' && names.length === 0)
    refuse('Function calling config is set without function_declarations.');
  const schema = asObject(field(config, 'responseSchema')) ?? asObject(field(config, 'responseJsonSchema'));
  const isJson = schema !== null || field(config, 'responseMimeType') === 'application/json';
  return {
    toolChoice,
    ...(allowed.length === 0 ? {} : { allowedTools: allowed }),
    stopSequences: (asList(field(config, 'stopSequences')) ?? []).map(String),
    ...(isJson ? { format: schema ?? { type: 'object' } } : {}),
  };
}

/** Reads the body of a call; what the API refuses is refused in its words. */
export function readRequest(value: unknown, call: GeminiCall, options: ReadOptions): GeminiRequest {
  const given = asObject(value);
  if (given === null) refuse('Invalid JSON payload received. Unexpected end of string.');
  const body = (call.kind === 'count' ? asObject(field(given, 'generateContentRequest')) : null) ?? given;
  const modelName = call.model!;
  const model = findModel(modelName);
  if (model === null) throw new Refusal(unknownModel(modelName));
  if (field(body, 'cachedContent') != null)
    throw new Refusal(apiError(403, 'PERMISSION_DENIED', 'CachedContent not found (or permission denied)'));
  const config = asObject(field(body, 'generationConfig'));
  const limit = field(config, 'maxOutputTokens');
  if (limit != null && (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1))
    refuse(
      '* GenerateContentRequest.generation_config.max_output_tokens: max_output_tokens must be positive.',
    );
  const draft = new PromptDraft(model, options.counter);
  readTools(draft, body);
  readSystem(draft, body);
  readContents(draft, body);
  const demands = demandsOf(body, config, draft.toolNames);
  const thinking = asObject(field(config, 'thinkingConfig'));
  const isThinking = thinking !== null && field(thinking, 'thinkingBudget') !== 0;
  const request = draft.finish({
    ...demands,
    model,
    modelName,
    maxTokens: Math.min(limit ?? model.maxOutput, model.maxOutput),
    delivery: call.delivery ?? 'plain',
    salts: levelSalts({ model, workspace: options.workspace }),
    thinking: isThinking ? 'on' : 'off',
  });
  return {
    ...request,
    streamsAs: call.streamsAs,
    showsThoughts: isThinking && field(thinking, 'includeThoughts') === true,
  };
}
