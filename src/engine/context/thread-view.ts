import type { Files } from '../../core/base/files.js';
import type { Block } from '../../core/model/block.js';
import type { Message } from '../../core/model/message.js';
import type { ContextView } from '../../core/run/tier.js';
import type { SeenCounter } from '../counting/seen-counter.js';
import type { Context } from './context.js';
import { Deletions } from './deletions.js';

/** What a tier may see of a thread. */
export class ThreadView implements ContextView {
  /** Whether the thread's cached prefix is still within its lifetime. */
  cacheIsWarm = false;
  cacheExpiresMs: number | null = null;
  /** What was deleted on the server and not yet forgotten. */
  deletions: Deletions;

  constructor(
    private readonly context: Context,
    private readonly seen: SeenCounter,
    readonly files: Files,
  ) {
    this.deletions = new Deletions(context);
  }

  get messages(): readonly Message[] {
    return this.context.messages;
  }

  get prefix(): readonly Block[] {
    return this.context.prefix;
  }

  get prefixTokens(): number {
    return this.context.prefixTokens;
  }

  get trueTokens(): number {
    return this.context.trueTokens - this.deletions.tokens;
  }

  get deletedTokens(): number {
    return this.deletions.tokens;
  }

  get seenTokens(): number {
    return this.seen.tokens;
  }

  seenBy(counter: number): number {
    return this.seen.tokensBeside(counter);
  }
}
