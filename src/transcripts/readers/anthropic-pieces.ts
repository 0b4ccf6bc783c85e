import type { Piece } from '../drafts/thread-draft.js';
import { isObject, type JsonObject, listOf, textOf } from '../lines/narrow.js';
import { contentBlocks, toolName, toolResultText } from './claude-code/lines/part-text.js';
import { toolCallPiece, toolResultPiece } from './tool-pieces.js';

function pieceOf(block: JsonObject, id: string): Piece | null {
  switch (block.type) {
    case 'text': {
      const text = textOf(block.text);
      return text === null ? null : { kind: 'text', text };
    }
    case 'thinking':
    case 'redacted_thinking':
      return { kind: 'thinking', text: textOf(block.thinking) };
    case 'tool_use':
      return toolCallPiece({ id: textOf(block.id) ?? id, tool: toolName(block), args: block.input });
    case 'tool_result': {
      const images = listOf(block.content).filter((item) => isObject(item) && item.type === 'image').length;
      return toolResultPiece({
        id: textOf(block.tool_use_id) ?? id,
        tool: null,
        text: toolResultText(block),
        outcome: block.is_error === true ? 'error' : 'success',
        images,
      });
    }
    case 'image':
    case 'document':
      return { kind: block.type, text: null };
    default:
      return null;
  }
}

/** The pieces of a message as the Anthropic API writes it; calls without an id are numbered behind the name. */
export function anthropicPieces(content: unknown, name: string): readonly Piece[] {
  return contentBlocks(content).flatMap((block, i) => pieceOf(block, `${name}-${i + 1}`) ?? []);
}
