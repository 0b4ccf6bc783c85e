import type { Block } from '../../../core/model/block.js';
import type { Message } from '../../../core/model/message.js';
import type { BlockEdit } from '../../../core/run/action.js';
import { clearedBlock } from '../support/compactable.js';
import type { LedgerEntry } from './ledger.js';

/** Edits that make a request smaller, and what they save. */
export class Clearing {
  readonly edits: BlockEdit[] = [];
  /** Originals of the cleared results. */
  readonly originals: Block[] = [];
  readonly tools: Record<string, number> = {};
  saved = 0;
  seenSaved = 0;

  constructor(private readonly messages: readonly Message[]) {}

  /** Puts the placeholder in the place of a result; one that would not get smaller stays (INV-3). */
  clearResult(entry: LedgerEntry): void {
    const message = this.messages[entry.messageIndex];
    const blockIndex = indexOf(message, 'tool_result', entry.toolUseId);
    if (message === undefined || blockIndex < 0) return;
    const original = message.blocks[blockIndex]!;
    const cleared = clearedBlock(original);
    if (!this.replace(message, blockIndex, cleared)) return;
    this.originals.push(original);
    this.tools[entry.tool] = (this.tools[entry.tool] ?? 0) + 1;
  }

  /** Puts a call without its input in the place of a call. */
  clearCall(entry: LedgerEntry, emptied: (call: Block) => Block): void {
    const message = this.messages[entry.callIndex];
    const blockIndex = indexOf(message, 'tool_use', entry.toolUseId);
    if (message === undefined || blockIndex < 0) return;
    this.replace(message, blockIndex, emptied(message.blocks[blockIndex]!));
  }

  /** Takes out the blocks of a message that match; returns how many. */
  remove(messageIndex: number, matches: (block: Block) => boolean): number {
    const message = this.messages[messageIndex];
    let removed = 0;
    message?.blocks.forEach((block, blockIndex) => {
      if (!matches(block)) return;
      this.edits.push({ messageId: message.id, blockIndex, block: null });
      this.saved += block.tokens;
      this.seenSaved += block.rough;
      removed++;
    });
    return removed;
  }

  private replace(message: Message, blockIndex: number, block: Block): boolean {
    const original = message.blocks[blockIndex]!;
    if (block.tokens >= original.tokens) return false;
    this.edits.push({ messageId: message.id, blockIndex, block });
    this.saved += original.tokens - block.tokens;
    this.seenSaved += original.rough - block.rough;
    return true;
  }
}

function indexOf(message: Message | undefined, kind: Block['kind'], toolUseId: string): number {
  if (message === undefined) return -1;
  return message.blocks.findIndex((block) => block.kind === kind && block.toolUseId === toolUseId);
}
