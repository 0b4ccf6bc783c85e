import type { BlockFacts } from '../../core/model/block.js';
import type { Piece } from '../drafts/thread-draft.js';
import { isObject, type JsonObject, jsonOf, listOf, objectOf, textOf } from '../lines/narrow.js';
import { contentBlocks, toolName, toolResultText } from './claude-code/lines/part-text.js';

/** Arguments that name the file a tool is about, in the words of several agents. */
const PATH_ARGUMENTS = ['file_path', 'filePath', 'absolute_path', 'path'] as const;

function pathFacts(args: unknown): BlockFacts {
  const given = objectOf(args);
  for (const name of PATH_ARGUMENTS) {
    const path = textOf(given[name]);
    if (path !== null) return { path };
  }
  return {};
}

/** A call of a tool: its name and its arguments are what the model writes. */
export function toolCallPiece(call: {
  readonly id: string;
  readonly tool: string | null;
  readonly args: unknown;
}): Piece {
  const { id, tool, args } = call;
  const words = typeof args === 'string' ? args : jsonOf(isObject(args) ? args : (args ?? {}));
  return { kind: 'tool_use', text: `${tool ?? ''}${words}`, tool, toolUseId: id, facts: pathFacts(args) };
}

/** What came back for a call; the text is null if the record leaves it out. */
export function toolResultPiece(result: {
  readonly id: string;
  readonly tool: string | null;
  readonly text: string | null;
  readonly outcome: 'success' | 'error';
  /** Arguments of the call, where they are known. */
  readonly args?: unknown;
  readonly images?: number;
}): Piece {
  const { id, tool, text, outcome, args, images = 0 } = result;
  const facts: BlockFacts = {
    ...pathFacts(args),
    ...(outcome === 'error' ? { isError: true } : {}),
    ...(images > 0 ? { images } : {}),
  };
  return { kind: 'tool_result', text, tool, toolUseId: id, facts };
}

/** A text as the only piece; no piece where there is none. */
export function textPieces(text: string | null): readonly Piece[] {
  return text === null ? [] : [{ kind: 'text', text }];
}

/** Texts and images of a message: one text, or a list of parts. */
export function contentPieces(content: unknown): readonly Piece[] {
  if (typeof content === 'string') return textPieces(textOf(content));
  return listOf(content).flatMap((part): readonly Piece[] => {
    if (!isObject(part)) return [];
    if (part.type === 'image' || part.type === 'input_image') return [{ kind: 'image', text: null }];
    return textPieces(textOf(part.text));
  });
}

/** The words of pieces, one behind another. */
export function wordsOf(pieces: readonly Piece[], separator = '\n'): string {
  return pieces.length === 1 ? (pieces[0]!.text ?? '') : pieces.map(({ text }) => text ?? '').join(separator);
}

/** How many pieces are images. */
export function imagesIn(pieces: readonly Piece[]): number {
  return pieces.filter(({ kind }) => kind === 'image').length;
}

/** Who said something that is not the model's: a tool where it holds a result. */
export function originOf<Origin extends string>(pieces: readonly Piece[], other: Origin): Origin | 'tool' {
  return pieces.some(({ kind }) => kind === 'tool_result') ? 'tool' : other;
}

function anthropicPiece(block: JsonObject, id: string): Piece | null {
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
    case 'tool_result':
      return toolResultPiece({
        id: textOf(block.tool_use_id) ?? id,
        tool: null,
        text: toolResultText(block),
        outcome: block.is_error === true ? 'error' : 'success',
        images: listOf(block.content).filter((item) => isObject(item) && item.type === 'image').length,
      });
    case 'image':
    case 'document':
      return { kind: block.type, text: null };
    default:
      return null;
  }
}

/** The pieces of a message as the Anthropic API writes it; calls without an id are numbered behind the name. */
export function anthropicPieces(content: unknown, name: string): readonly Piece[] {
  return contentBlocks(content).flatMap((block, i) => anthropicPiece(block, `${name}-${i + 1}`) ?? []);
}
