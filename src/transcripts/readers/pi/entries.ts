import type { Usage } from '../../../core/model/usage.js';
import type { Piece } from '../../drafts/thread-draft.js';
import { isObject, type JsonObject, jsonOf, listOf, numberOf, textOf } from '../../lines/narrow.js';

function count(value: unknown): number {
  return Math.max(0, numberOf(value) ?? 0);
}

/** The usage of a response: input excludes what was read and written. Null when nothing was billed or told. */
export function usageOf(value: unknown): Usage | null {
  if (!isObject(value)) return null;
  const usage: Usage = {
    input: count(value.input),
    cacheRead: count(value.cacheRead),
    cacheWrite5m: count(value.cacheWrite),
    cacheWrite1h: 0,
    output: count(value.output),
  };
  return usage.input + usage.cacheRead + usage.cacheWrite5m === 0 ? null : usage;
}

/** Texts and images of a message. */
export function contentPieces(content: unknown): readonly Piece[] {
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }];
  const pieces: Piece[] = [];
  for (const part of listOf(content)) {
    if (!isObject(part)) continue;
    const text = textOf(part.text);
    if (part.type === 'image') pieces.push({ kind: 'image', text: null });
    else if (text !== null) pieces.push({ kind: 'text', text });
  }
  return pieces;
}

/** What the model said, thought and called. */
export function responsePieces(content: unknown): readonly Piece[] {
  if (typeof content === 'string') return contentPieces(content);
  return listOf(content).flatMap((part): readonly Piece[] => {
    if (!isObject(part)) return [];
    if (part.type === 'thinking') return [thinkingPiece(part)];
    if (part.type !== 'toolCall') return contentPieces([part]);
    const tool = textOf(part.name) ?? 'unknown';
    const text = tool + jsonOf(part.arguments ?? {});
    return [{ kind: 'tool_use', text, tool, toolUseId: textOf(part.id) }];
  });
}

function thinkingPiece({ thinking, thinkingSignature }: JsonObject): Piece {
  const text = textOf(thinking);
  return { kind: 'thinking', text, chars: textOf(thinkingSignature)?.length ?? 0 };
}

/** The result of a tool. */
export function resultPiece(message: JsonObject): Piece {
  const pieces = contentPieces(message.content);
  const images = pieces.filter(({ kind }) => kind === 'image').length;
  const facts = {
    ...(images === 0 ? {} : { images }),
    ...(message.isError === true ? { isError: true } : {}),
  };
  return {
    kind: 'tool_result',
    text: pieces.flatMap(({ text }) => text ?? []).join('\n'),
    tool: textOf(message.toolName),
    toolUseId: textOf(message.toolCallId),
    facts,
  };
}

/** A command that the user ran, as the model is told of it; null where it is kept from the model. */
export function commandText(message: JsonObject): string | null {
  if (message.excludeFromContext === true) return null;
  return `Ran \`${textOf(message.command) ?? ''}\`\n\`\`\`\n${textOf(message.output) ?? '(no output)'}\n\`\`\``;
}
