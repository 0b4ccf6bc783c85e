import { CcbenchError } from '../../core/base/errors.js';
import type { Block } from '../../core/model/block.js';
import { type Message, withBlocks } from '../../core/model/message.js';
import type { BlockEdit } from '../../core/run/action.js';
import { changedBlocks } from './changed-blocks.js';

/** Messages from the first that edits change to the last, as they are afterwards. */
export interface EditedTail {
  /** Index of the first. */
  readonly from: number;
  readonly messages: readonly Message[];
}

/** What edits make of a conversation; looked for from the end, since edits are mostly recent. */
export function editedTail(conversation: readonly Message[], edits: readonly BlockEdit[]): EditedTail {
  const byMessage = new Map<string, Map<number, Block | null>>();
  for (const edit of edits) {
    const blocks = byMessage.get(edit.messageId) ?? new Map<number, Block | null>();
    blocks.set(edit.blockIndex, edit.block);
    byMessage.set(edit.messageId, blocks);
  }
  let from = conversation.length;
  const messages: Message[] = [];
  while (byMessage.size > 0 && from > 0) {
    const message = conversation[--from]!;
    const changes = byMessage.get(message.id);
    messages.push(changes === undefined ? message : withBlocks(message, changedBlocks(message, changes)));
    byMessage.delete(message.id);
  }
  if (byMessage.size > 0) {
    throw new CcbenchError(
      'internal',
      `an edit names a message that is not in the context: ${[...byMessage.keys()][0]}`,
    );
  }
  return { from, messages: messages.reverse() };
}
