import type { ModelRow } from '../cache/model-table.js';
import { thinkingKeptFrom } from '../cache/thinking.js';
import type { BlockEdit } from '../model/action.js';
import type { Message } from '../model/message.js';

/** Edits that drop the thinking of earlier turns, from a message on, and the first message that keeps its own (api.md 1.7). */
export function thinkingEdits(
  row: ModelRow,
  messages: readonly Message[],
  from: number,
): { readonly edits: readonly BlockEdit[]; readonly keptFrom: number } {
  const keptFrom = thinkingKeptFrom(row, messages);
  const edits: BlockEdit[] = [];
  for (let i = from; i < keptFrom; i++) {
    const message = messages[i];
    if (message?.role !== 'assistant') continue;
    message.blocks.forEach((block, blockIndex) => {
      if (block.kind === 'thinking') edits.push({ messageId: message.id, blockIndex, block: null });
    });
  }
  return { edits, keptFrom };
}
