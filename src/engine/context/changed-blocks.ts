import type { Block } from '../../core/model/block.js';
import type { Message } from '../../core/model/message.js';

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
