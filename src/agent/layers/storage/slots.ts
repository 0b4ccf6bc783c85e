import type { FileContent } from '../../../core/base/files.js';
import type { Block } from '../../../core/model/block.js';
import type { Message } from '../../../core/model/message.js';

/** A waiting result where it stands in the context, and what is decided about it. */
export interface Slot {
  readonly messageId: string;
  readonly blockIndex: number;
  readonly block: Block;
  /** Null keeps the result as it is. */
  replacement: Block | null;
  how: 'store' | 'cut' | 'stub';
  /** It is replaced because all results of the message are too long together (STO-2). */
  forBudget: boolean;
}

/** The results of waiting messages where they stand now, oldest first; what is no longer in the context is left out. */
export function findSlots(waiting: readonly Message[], messages: readonly Message[]): Slot[] {
  const slots: Slot[] = [];
  const wanted = new Set<string>();
  const holders = new Set<string>();
  for (const { id, blocks } of waiting) {
    holders.add(id);
    for (const { kind, toolUseId } of blocks)
      if (kind === 'tool_result' && toolUseId !== null) wanted.add(toolUseId);
  }
  let first = messages.length;
  while (first > 0 && holders.size > 0) holders.delete(messages[--first]!.id);
  for (let i = first; i < messages.length; i++) {
    const message = messages[i]!;
    message.blocks.forEach((block, blockIndex) => {
      if (block.kind !== 'tool_result' || !wanted.has(block.toolUseId ?? '')) return;
      slots.push({
        messageId: message.id,
        blockIndex,
        block,
        replacement: null,
        how: 'store',
        forBudget: false,
      });
    });
  }
  return slots;
}

/** A read whose whole content is there to be compared. */
export function isWholeRead(block: Block): boolean {
  const { facts } = block;
  return block.tool === 'Read' && facts.path !== undefined && facts.isError !== true && facts.stub !== true;
}

/** The content of a result as it goes to disk (STO-4); an opaque one is described. */
export function fullText(block: Block): FileContent {
  return block.text ?? `[${block.chars} characters that the transcript does not hold]`;
}
