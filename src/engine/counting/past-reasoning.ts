import type { Block } from '../../core/model/block.js';
import type { Message } from '../../core/model/message.js';

/**
 * Sealed reasoning that a client counts beside the usage, whether prompts carry it or not: what came before the latest prompt of the
 * user, from the first usage behind that prompt on. A recorded seal counts by its length, others by what was billed.
 */
export class PastReasoning {
  private all = 0;
  private spoken = 0;
  private past = 0;

  /** Tokens for each billed one, by the model in use; 0 counts none, seals neither. */
  constructor(private readonly perToken: () => number) {}

  get tokens(): number {
    return Math.round(this.past);
  }

  note({ origin, blocks }: Message): void {
    if (origin === 'human') this.spoken = this.all;
    for (const block of blocks) this.all += this.sealed(block);
  }

  /** A usage came in that leaves out what the prompt before it dropped. */
  anchor(): void {
    this.past = this.spoken;
  }

  /** A block left the conversation. */
  drop(block: Block): void {
    const gone = this.sealed(block);
    this.all = Math.max(0, this.all - gone);
    this.spoken = Math.max(0, this.spoken - gone);
    this.past = Math.max(0, this.past - gone);
  }

  forget(): void {
    this.all = 0;
    this.spoken = 0;
    this.past = 0;
  }

  private sealed({ kind, tokens, facts }: Block): number {
    const perToken = kind === 'thinking' ? this.perToken() : 0;
    return perToken === 0 ? 0 : (facts.sealedTokens ?? tokens * perToken);
  }
}
