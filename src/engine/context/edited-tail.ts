import { CcbenchError } from '../../core/base/errors.js';
import { getOrMake } from '../../core/base/once.js';
import type { Block } from '../../core/model/block.js';
import { type Message, withBlocks } from '../../core/model/message.js';
import type { BlockEdit } from '../../core/run/action.js';

/** Changed blocks by their message and their place in it; null takes one away. */
export type EditsByMessage = Map<string, Map<number, Block | null>>;

/** Adds edits to those of the same messages. */
export function addEdits(byMessage: EditsByMessage, edits: readonly BlockEdit[]): void {
  for (const { messageId, blockIndex, block } of edits)
    getOrMake(byMessage, messageId, () => new Map()).set(blockIndex, block);
}

/** The blocks of a message with some of them changed; null takes one away. */
export function changedBlocks(
  message: Message,
  changes: ReadonlyMap<number, Block | null>,
): readonly Block[] {
  const blocks: Block[] = [];
  message.blocks.forEach((block, i) => {
    const change = changes.get(i);
    if (change === undefined) blocks.push(block);
    else if (change !== null) blocks.push(change);
  });
  return blocks;
}

/** Messages from the first that edits change to the last, as they are afterwards. */
export interface EditedTail {
  /** Index of the first. */
  readonly from: number;
  readonly messages: readonly Message[];
}

/** What edits make of a conversation; looked for from the end, since edits are mostly recent. */
export function editedTail(conversation: readonly Message[], edits: readonly BlockEdit[]): EditedTail {
  const byMessage: EditsByMessage = new Map();
  addEdits(byMessage, edits);
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

/** Messages of a conversation by id, looked for from the end: edits are mostly recent. */
export function findMessages(
  messages: readonly Message[],
  ids: ReadonlySet<string>,
): ReadonlyMap<string, Message> {
  const found = new Map<string, Message>();
  for (let i = messages.length - 1; i >= 0 && found.size < ids.size; i--) {
    const message = messages[i]!;
    if (ids.has(message.id)) found.set(message.id, message);
  }
  return found;
}
