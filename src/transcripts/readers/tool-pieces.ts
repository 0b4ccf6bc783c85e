import type { BlockFacts } from '../../core/model/block.js';
import type { Piece } from '../drafts/thread-draft.js';
import { isObject, jsonOf, objectOf, textOf } from '../lines/narrow.js';

/** Arguments that name the file a tool is about, in the words of several agents. */
const PATH_ARGUMENTS = ['file_path', 'filePath', 'absolute_path', 'path'] as const;

/** A call of a tool as a record tells it. */
export interface ToolCallInit {
  readonly id: string;
  readonly tool: string | null;
  readonly args: unknown;
}

/** What came back for a call. */
export interface ToolResultInit {
  readonly id: string;
  readonly tool: string | null;
  /** Null where the record leaves it out. */
  readonly text: string | null;
  readonly outcome: 'success' | 'error';
  /** Arguments of the call, where they are known. */
  readonly args?: unknown;
  readonly images?: number;
}

function pathFacts(args: unknown): BlockFacts {
  const given = objectOf(args);
  for (const name of PATH_ARGUMENTS) {
    const path = textOf(given[name]);
    if (path !== null) return { path };
  }
  return {};
}

/** A call of a tool: its name and its arguments are what the model writes. */
export function toolCallPiece({ id, tool, args }: ToolCallInit): Piece {
  const words = typeof args === 'string' ? args : jsonOf(isObject(args) ? args : (args ?? {}));
  return { kind: 'tool_use', text: `${tool ?? ''}${words}`, tool, toolUseId: id, facts: pathFacts(args) };
}

/** The result of a call. */
export function toolResultPiece({ id, tool, text, outcome, args, images = 0 }: ToolResultInit): Piece {
  const facts: BlockFacts = {
    ...pathFacts(args),
    ...(outcome === 'error' ? { isError: true } : {}),
    ...(images > 0 ? { images } : {}),
  };
  return { kind: 'tool_result', text, tool, toolUseId: id, facts };
}
