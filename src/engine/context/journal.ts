import type { Block } from '../../core/model/block.js';
import { type Message, withBlocks } from '../../core/model/message.js';
import type { BlockEdit } from '../../core/run/action.js';

/**
 * The session's record as the agent writes it to disk: messages as they came, frozen replacements (STO-3) and the history a
 * compaction left. What a layer changed only in memory is not in it, so a resume brings the original content back.
 */
export class Journal {
  private messages: Message[] = [];
  private readonly frozen = new Map<string, Map<number, Block | null>>();

  append(message: Message): void {
    this.messages.push(message);
  }

  /** A compaction: the record goes on from the new history. */
  restart(messages: readonly Message[]): void {
    this.messages = [...messages];
    this.frozen.clear();
  }

  freeze(edits: readonly BlockEdit[]): void {
    for (const edit of edits) {
      const blocks = this.frozen.get(edit.messageId) ?? new Map<number, Block | null>();
      blocks.set(edit.blockIndex, edit.block);
      this.frozen.set(edit.messageId, blocks);
    }
  }

  /** The conversation as a new process reads it back. */
  rebuild(): readonly Message[] {
    return this.messages.map((message) => {
      const edits = this.frozen.get(message.id);
      if (edits === undefined) return message;
      const blocks: Block[] = [];
      message.blocks.forEach((block, index) => {
        const edit = edits.get(index);
        if (edit === undefined) blocks.push(block);
        else if (edit !== null) blocks.push(edit);
      });
      return withBlocks(message, blocks);
    });
  }
}
