import type { Message } from '../../core/model/message.js';
import type { BlockEdit } from '../../core/run/action.js';
import { thinkingKeptFrom } from '../../provider/cache/thinking.js';
import type { ModelRow } from '../../provider/prices/model-row.js';
import type { RequestingThread } from './requesting-thread.js';

/** Whose thinking stays: that of the latest turn, or nobody's, as a prompt of the client's own ends it. */
export type KeptThinking = 'latest-turn' | 'none';

/** Edits that drop the thinking of earlier turns, from a message on, and the first message that keeps its own (api.md 1.7). */
function thinkingEdits(
  row: ModelRow,
  messages: readonly Message[],
  from: number,
  kept: KeptThinking = 'latest-turn',
): { readonly edits: readonly BlockEdit[]; readonly keptFrom: number } {
  const keptFrom = kept === 'none' ? messages.length : thinkingKeptFrom(row, messages);
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

/** Models that keep thinking for one turn only drop it when the user speaks again, unless the client keeps all of it (K5). */
export function stripThinking(
  run: Pick<RequestingThread, 'env' | 'model' | 'context' | 'thinkingStrippedTo' | 'announced'>,
  kept: KeptThinking,
): void {
  const { row } = run.model;
  if (row.thinking === 'keep-all' || !run.env.client.dropsThinking) return;
  const { edits, keptFrom } = thinkingEdits(row, run.context.messages, run.thinkingStrippedTo, kept);
  run.thinkingStrippedTo = keptFrom;
  if (edits.length === 0) return;
  run.context.rewrite(edits);
  run.announced ??= 'thinking';
}
