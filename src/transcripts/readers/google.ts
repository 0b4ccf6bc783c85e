import { ownValue } from '../../core/base/own-value.js';
import type { Usage } from '../../core/model/usage.js';
import type { Piece } from '../drafts/thread-draft.js';
import { isObject, type JsonObject, jsonOf, listOf, objectOf, textOf } from '../lines/narrow.js';
import { tokensOf } from '../lines/plausible.js';
import { toolCallPiece, toolResultPiece } from './pieces.js';

/** Content as the Gemini API writes it: a text, one part or several. */
export function googleParts(content: unknown): readonly unknown[] {
  if (typeof content === 'string' || isObject(content)) return [content];
  return listOf(content);
}

/** What a tool gave back: its output as text where it is one, else the whole answer. */
function responseText(response: unknown): string {
  const { output, error } = objectOf(response);
  return textOf(output) ?? textOf(error) ?? (typeof response === 'string' ? response : jsonOf(response));
}

/** The result of a tool; the id is taken where the response has none. */
export function googleResult(functionResponse: JsonObject, id: string, args?: unknown): Piece {
  const { response } = functionResponse;
  return toolResultPiece({
    id: textOf(functionResponse.id) ?? id,
    tool: textOf(functionResponse.name),
    text: responseText(response),
    outcome: textOf(objectOf(response).error) === null ? 'success' : 'error',
    args,
  });
}

function pieceOf(part: unknown, id: string): Piece | null {
  if (typeof part === 'string') return part === '' ? null : { kind: 'text', text: part };
  if (!isObject(part) || part.thought === true) return null;
  const { functionCall, functionResponse } = part;
  if (isObject(functionCall)) {
    return toolCallPiece({
      id: textOf(functionCall.id) ?? id,
      tool: textOf(functionCall.name),
      args: functionCall.args,
    });
  }
  if (isObject(functionResponse)) return googleResult(functionResponse, id);
  const media = part.inlineData ?? part.fileData;
  if (isObject(media))
    return { kind: textOf(media.mimeType)?.startsWith('image/') === true ? 'image' : 'document', text: null };
  const text = textOf(part.text);
  return text === null ? null : { kind: 'text', text };
}

/** The pieces of a content; calls without an id are numbered behind the name. Thoughts are left out: they are not sent again. */
export function googlePieces(content: unknown, name: string): readonly Piece[] {
  return googleParts(content).flatMap((part, i) => pieceOf(part, `${name}-${i + 1}`) ?? []);
}

/** Where a record keeps its counts, by what the Gemini API calls them. */
export interface GoogleCounts {
  /** The whole prompt, cached tokens included. */
  readonly prompt: string;
  readonly cached: string;
  readonly candidates: string;
  readonly thoughts: string;
  /** Results of tools that run on the server; billed as input. */
  readonly tool: string;
  readonly total: string;
}

/** The names of the API itself. */
export const API_COUNTS: GoogleCounts = {
  prompt: 'promptTokenCount',
  cached: 'cachedContentTokenCount',
  candidates: 'candidatesTokenCount',
  thoughts: 'thoughtsTokenCount',
  tool: 'toolUsePromptTokenCount',
  total: 'totalTokenCount',
};

/**
 * Usage in the normal form; null if nothing was counted. Clients in front of other APIs count thoughts with the answer, and
 * the total tells: it is the sum of what stands apart.
 */
export function googleUsage(record: unknown, names: GoogleCounts): Usage | null {
  const counts = objectOf(record);
  const count = (name: string): number => tokensOf(ownValue(counts, name)) ?? 0;
  const prompt = count(names.prompt);
  const candidates = count(names.candidates);
  if (prompt === 0 && candidates === 0) return null;
  const thoughts = count(names.thoughts);
  const tool = count(names.tool);
  const total = tokensOf(ownValue(counts, names.total));
  const cacheRead = Math.min(count(names.cached), prompt);
  return {
    input: prompt - cacheRead + (total === prompt + candidates + thoughts ? 0 : tool),
    cacheRead,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    output: candidates + (total === prompt + candidates + tool ? 0 : thoughts),
  };
}
