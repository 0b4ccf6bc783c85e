import type { Piece } from '../../drafts/thread-draft.js';
import { isObject, type JsonObject, jsonOf, listOf, objectOf, textOf } from '../../lines/narrow.js';
import { toolCallPiece, toolResultPiece } from '../tool-pieces.js';

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

function mediaKind(media: JsonObject): Piece['kind'] {
  return String(media.mimeType ?? '').startsWith('image/') ? 'image' : 'document';
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
  if (isObject(media)) return { kind: mediaKind(media), text: null };
  const text = textOf(part.text);
  return text === null ? null : { kind: 'text', text };
}

/** The pieces of a content; calls without an id are numbered behind the name. Thoughts are left out: they are not sent again. */
export function googlePieces(content: unknown, name: string): readonly Piece[] {
  return googleParts(content).flatMap((part, i) => pieceOf(part, `${name}-${i + 1}`) ?? []);
}
