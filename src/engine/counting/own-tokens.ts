import type { Block } from '../../core/model/block.js';
import type { Message } from '../../core/model/message.js';

/** Whether a message came with the session, or was made by a layer. */
export type Origin = 'original' | 'made';

/** How much of a session's own content is still in the context as it came, tools and system included. */
export class OwnTokens {
  /** Tokens of blocks that came with the session and stand here as they came. */
  private here = 0;
  /** The part of them in front of the messages. */
  private prefix = 0;
  /** The same if no layer had ever touched the conversation. */
  private ever = 0;
  /** Ids of messages that did not come with the session: what layers added, and repairs. */
  private readonly made = new Set<string>();

  originOf({ id }: Message): Origin {
    return this.made.has(id) ? 'made' : 'original';
  }

  noteMade(id: string): void {
    this.made.add(id);
  }

  /** Messages arrive. */
  arrive(batch: readonly Message[], origin: Origin): void {
    for (let i = 0; i < batch.length; i++) {
      const { id, blocks } = batch[i]!;
      if (origin === 'made') this.made.add(id);
      else for (let b = 0; b < blocks.length; b++) this.ever += blocks[b]!.tokens;
    }
  }

  /** A block that arrived has no place in the conversation. */
  turnAway(block: Block): void {
    this.ever -= block.tokens;
  }

  add(block: Block): void {
    if (block.facts.replaces === undefined) this.here += block.tokens;
  }

  remove(block: Block, owner: Message): void {
    if (block.facts.replaces === undefined && !this.made.has(owner.id)) this.here -= block.tokens;
  }

  /** Tools and system prompt are laid; they hold this many tokens more than those before them. */
  laidPrefix(addedTokens: number): void {
    this.prefix = this.here;
    this.ever += addedTokens;
  }

  /** Everything is gone, or everything behind tools and system prompt. */
  empty(upTo: 'start' | 'prefix'): void {
    this.here = upTo === 'start' ? 0 : this.prefix;
  }

  /** Share of the session's own tokens that the model sees as they came; what the server deleted it does not see. */
  share(deletedTokens: number): number | null {
    if (this.ever <= 0) return null;
    const visible = Math.max(0, this.here - deletedTokens);
    return Math.min(1, Math.round((visible / this.ever) * 1e6) / 1e6);
  }
}
