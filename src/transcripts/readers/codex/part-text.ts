import { isObject, type JsonObject, listOf, textOf } from '../../lines/narrow.js';
import { contentPieces, modelPieces, resultPiece } from './response-items.js';

const NO_TOOLS: ReadonlyMap<string, string> = new Map();

/** Whether a line is one of a rollout that holds texts. */
export function isRolloutLine({ type, payload }: JsonObject): boolean {
  return (type === 'response_item' || type === 'compacted') && isObject(payload);
}

/** The text of one part of a rollout's line: what an item holds; of a compaction its summary, then the messages of its history. */
export function textOfRolloutPart({ type, payload }: JsonObject, part: number): string | null {
  if (!isObject(payload)) return null;
  if (type !== 'compacted') {
    const result = resultPiece(payload, NO_TOOLS);
    const pieces = result === null ? (modelPieces(payload) ?? contentPieces(payload.content)) : [result];
    return pieces[part]?.text ?? null;
  }
  if (part === 0) return textOf(payload.message);
  let before = 1;
  for (const item of historyMessages(payload)) {
    const pieces = contentPieces(item.content);
    if (part < before + pieces.length) return pieces[part - before]!.text;
    before += pieces.length;
  }
  return null;
}

/** The messages that a compaction leaves. */
export function historyMessages(payload: JsonObject): readonly JsonObject[] {
  return listOf(payload.replacement_history)
    .filter(isObject)
    .filter(({ type }) => type === 'message');
}
