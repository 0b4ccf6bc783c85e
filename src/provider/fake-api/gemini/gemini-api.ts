import { ownValue } from '../../../core/base/own-value.js';
import { promptTokens } from '../../../core/model/usage.js';
import { type ApiError, apiError } from '../../cache/api-error.js';
import type { ModelRow } from '../../prices/model-row.js';
import type { AnswerBlock } from '../answer.js';
import {
  dataEvent,
  distinctBlocks,
  type FinishedAnswer,
  pieces,
  thinkingTokens,
  type WireApi,
  type WireCall,
} from '../wire-api.js';
import {
  type GeminiCall,
  type GeminiRequest,
  invalidArgument,
  readRequest,
  unknownModel,
} from './read-request.js';

/** Names of statuses. */
const STATUS: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};

/** A refusal that did not come from this API, in its words and status. */
function reword(error: ApiError): ApiError {
  const { status, message } = error;
  const model = status === 404 ? /^model: (.*)$/.exec(message)?.[1] : undefined;
  if (model !== undefined) return unknownModel(model);
  const long = /^prompt is too long(?:: (\d+) tokens > (\d+))?/i.exec(message);
  if (long !== null)
    return invalidArgument(
      `The input token count (${long[1] ?? 'unknown'}) exceeds the maximum number of tokens allowed (${long[2] ?? 'unknown'}).`,
    );
  switch (status) {
    case 429:
      return apiError(429, '', 'Resource has been exhausted (e.g. check quota).');
    case 529:
      return apiError(503, '', 'The model is overloaded. Please try again later.');
    case 500:
      return apiError(500, '', 'An internal error has occurred. Please retry.');
    default:
      return error;
  }
}

function errorBody(error: ApiError): object {
  const { status, message } = reword(error);
  return { error: { code: status, message, status: STATUS[status] ?? 'INVALID_ARGUMENT' } };
}

const NO_KEY =
  "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.";

function checkHeaders(headers: Headers, query: URLSearchParams): ApiError | null {
  const key = headers.get('x-goog-api-key') ?? query.get('key') ?? headers.get('authorization') ?? '';
  return key === '' ? apiError(403, '', NO_KEY) : null;
}

const PATH = /^\/(v1|v1beta|v1alpha)\/(?:models(?:\/([^/:]+))?(?::(\w+))?|.*)$/;
const KINDS: Readonly<Record<string, WireCall['kind']>> = {
  generateContent: 'create',
  streamGenerateContent: 'create',
  countTokens: 'count',
};

function find(method: string, path: string, _headers: Headers, query: URLSearchParams): GeminiCall | null {
  const [, version, model = null, verb] = PATH.exec(path) ?? [];
  if (version === undefined || (version === 'v1' && verb === undefined)) return null;
  const isStream = verb === 'streamGenerateContent';
  const isList = method === 'GET' && verb === undefined && /\/models(?:\/|$)/.test(path);
  const kind = isList
    ? 'models'
    : method === 'POST' && verb !== undefined && model !== null
      ? ownValue(KINDS, verb)
      : undefined;
  return {
    kind: kind ?? 'unknown',
    model,
    delivery: isStream ? 'stream' : 'plain',
    streamsAs: query.get('alt') === 'sse' ? 'events' : 'array',
  };
}

/** The parts of a block; thoughts are shown only where the request asks for them. */
function partsOf(block: AnswerBlock, { showsThoughts }: GeminiRequest): readonly object[] {
  switch (block.type) {
    case 'text':
      return pieces(block.text).map((text) => ({ text }));
    case 'thinking':
      return showsThoughts ? pieces(block.thinking).map((text) => ({ text, thought: true })) : [];
    case 'tool_use':
      return [{ functionCall: { id: block.id, name: block.name, args: block.input } }];
  }
}

/** The parts of an answer in pieces; the first call behind a thought carries its signature. */
function answerParts(finished: FinishedAnswer): readonly (readonly object[])[] {
  const request = finished.request as GeminiRequest;
  let signature: string | null = null;
  return distinctBlocks(finished).map((block) => {
    if (block.type === 'thinking') signature = btoa(block.signature);
    const parts = partsOf(block, request);
    if (block.type === 'thinking' || signature === null) return parts;
    const signed = parts.map((part, i) => (i === 0 ? { ...part, thoughtSignature: signature } : part));
    signature = null;
    return signed;
  });
}

function usageBody(finished: FinishedAnswer): object {
  const { usage } = finished;
  const prompt = promptTokens(usage);
  const thoughts = thinkingTokens(finished);
  return {
    promptTokenCount: prompt,
    ...(usage.cacheRead > 0 ? { cachedContentTokenCount: usage.cacheRead } : {}),
    candidatesTokenCount: usage.output - thoughts,
    ...(thoughts > 0 ? { thoughtsTokenCount: thoughts } : {}),
    totalTokenCount: prompt + usage.output,
  };
}

/** Pieces of one text as one part. */
function joined(parts: readonly object[]): readonly object[] {
  const texts = parts.map((part) => ('text' in part ? String(part.text) : null));
  return parts.length < 2 || texts.includes(null) ? parts : [{ ...parts[0], text: texts.join('') }];
}

function write(finished: FinishedAnswer) {
  const request = finished.request as GeminiRequest;
  const { stopReason } = finished.answer;
  const isCut = stopReason === 'max_tokens' || stopReason === 'model_context_window_exceeded';
  const head = { modelVersion: request.modelName, responseId: finished.id };
  const usageMetadata = usageBody(finished);
  const end = { finishReason: isCut ? 'MAX_TOKENS' : 'STOP' };
  const blocks = answerParts(finished);
  const response = (parts: readonly object[], ending: object): object => ({
    candidates: [{ content: { role: 'model', parts }, ...ending, index: 0 }],
    usageMetadata,
    ...head,
  });
  const isArray = request.streamsAs === 'array';
  return {
    body: response(blocks.flatMap(joined), end),
    get parts() {
      const parts = blocks.flat();
      const chunks = (parts.length === 0 ? [[]] : parts.map((part) => [part])).map((each, i) =>
        response(each, i >= parts.length - 1 ? end : {}),
      );
      if (!isArray) return chunks.map(dataEvent);
      return chunks.map((chunk, i) => {
        const [before, behind] = [i === 0 ? '[' : ',\r\n', i === chunks.length - 1 ? ']' : ''];
        return `${before}${JSON.stringify(chunk)}${behind}`;
      });
    },
    ...(isArray ? { streamType: 'application/json; charset=UTF-8' } : {}),
  };
}

function modelBody({ id, window, maxOutput }: ModelRow): object {
  return {
    name: `models/${id}`,
    baseModelId: id,
    version: '001',
    displayName: id,
    inputTokenLimit: window,
    outputTokenLimit: maxOutput,
    supportedGenerationMethods: ['generateContent', 'countTokens'],
  };
}

/** The Gemini API. */
export function createGeminiApi(): WireApi {
  return {
    name: 'gemini',
    find,
    checkHeaders,
    read: (body, call, options) => readRequest(body, call as GeminiCall, options),
    write,
    reword,
    refusal: errorBody,
    streamError: (error) => dataEvent(errorBody(error)),
    counted: ({ promptTokens: totalTokens }) => ({ totalTokens }),
    models: (rows, asked) => (asked === null ? { models: rows.map(modelBody) } : modelBody(asked)),
    serves: ({ provider }) => provider === 'gemini',
  };
}
