import type { Block } from '../../../core/model/block.js';
import type { Message } from '../../../core/model/message.js';
import type { BlockEdit } from '../../../core/run/action.js';
import type { LayerContext } from '../../../core/run/layer.js';
import { fileState } from '../file-state/file-state.js';
import { resultLedger } from '../microcompact/ledger.js';

/** Which blocks of a message leave the conversation. */
export type Leaves = (block: Block, message: Message) => boolean;

/** Blocks that leave a conversation behind one short text. */
export interface LeftOut {
  readonly edits: readonly BlockEdit[];
  /** True tokens that leave, without those of the text and of what the server had left out already. */
  readonly tokens: number;
}

/** Edits that take blocks out of messages and put a text where the first of one message stood. */
export function leaveOut(
  messages: readonly Message[],
  leaves: Leaves,
  host: Message,
  text: Block,
  deleted: ReadonlySet<string>,
): LeftOut {
  const edits: BlockEdit[] = [];
  let tokens = 0;
  let placed = false;
  for (const message of messages) {
    message.blocks.forEach((block, blockIndex) => {
      if (!leaves(block, message)) return;
      const isPlace = message === host && !placed;
      if (isPlace) placed = true;
      if (!deleted.has(block.toolUseId ?? '')) tokens += block.tokens;
      edits.push({ messageId: message.id, blockIndex, block: isPlace ? text : null });
    });
  }
  return { edits, tokens };
}

/** Results of a thread that the server leaves out already (MIC-3), by id. */
export function deletedResults(context: Pick<LayerContext, 'shared'>): ReadonlySet<string> {
  const { entries } = resultLedger(context);
  return new Set(entries.flatMap(({ state, toolUseId }) => (state === 'deleted' ? [toolUseId] : [])));
}

/** What other layers know of results that are no longer there: nothing to clear, delete or point at. */
export function forgetResults(context: Pick<LayerContext, 'shared'>, messages: readonly Message[]): void {
  const files = fileState(context);
  const results: Block[] = [];
  for (const { blocks } of messages) {
    for (const block of blocks) {
      if (block.kind !== 'tool_result' || block.toolUseId === null) continue;
      results.push(block);
      files.forgetRead(block.toolUseId, block.facts.path ?? null);
    }
  }
  resultLedger(context).leave(results);
}
