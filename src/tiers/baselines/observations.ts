import type { BlockEdit } from '../../model/action.js';
import type { ContextView } from '../../model/tier.js';
import { clearedBlock } from '../compactable.js';

/** A tool result whose content is still in the context. */
interface Observation {
  readonly messageIndex: number;
  readonly toolUseId: string;
  readonly tokens: number;
}

/** What clearing old results would change. */
export interface OldResults {
  readonly edits: readonly BlockEdit[];
  readonly saved: number;
  readonly count: number;
}

/** The tool results of a thread that still have their content, oldest first; each message is read once. */
export class Observations {
  private readonly live: Observation[] = [];
  private nextMessage = 0;
  /** True tokens of all of them. */
  tokens = 0;

  get count(): number {
    return this.live.length;
  }

  /** Takes in what joined the context; returns the tokens of results that are new. */
  sync({ messages }: ContextView): number {
    if (this.nextMessage > messages.length) this.reset();
    const before = this.tokens;
    for (; this.nextMessage < messages.length; this.nextMessage++) {
      for (const { kind, toolUseId, tokens, facts } of messages[this.nextMessage]!.blocks) {
        if (kind !== 'tool_result' || toolUseId === null || facts.replaces === 'cleared') continue;
        this.live.push({ messageIndex: this.nextMessage, toolUseId, tokens });
        this.tokens += tokens;
      }
    }
    return this.tokens - before;
  }

  /** The history is another one. */
  reset(): void {
    this.live.length = 0;
    this.nextMessage = 0;
    this.tokens = 0;
  }

  /** How many of the newest results fit into so many tokens. */
  newestWithin(tokens: number): number {
    let sum = 0;
    let count = 0;
    for (let i = this.live.length - 1; i >= 0; i--, count++) {
      sum += this.live[i]!.tokens;
      if (sum > tokens) break;
    }
    return count;
  }

  /** Takes all but the newest results off the list; one that a placeholder would not make smaller stays as it is (INV-3). */
  takeAllBut(newest: number, { messages }: ContextView): OldResults {
    const old = this.live.splice(0, Math.max(0, this.live.length - newest));
    const edits: BlockEdit[] = [];
    let saved = 0;
    for (const { messageIndex, toolUseId, tokens } of old) {
      this.tokens -= tokens;
      const message = messages[messageIndex]!;
      const blockIndex = message.blocks.findIndex(
        (block) => block.kind === 'tool_result' && block.toolUseId === toolUseId,
      );
      const original = message.blocks[blockIndex];
      if (original === undefined) continue;
      const block = clearedBlock(original);
      if (block.tokens >= original.tokens) continue;
      edits.push({ messageId: message.id, blockIndex, block });
      saved += original.tokens - block.tokens;
    }
    return { edits, saved, count: edits.length };
  }
}
