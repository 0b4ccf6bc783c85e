import type { Files } from '../../core/base/files.js';
import type { Block } from '../../core/model/block.js';
import type { Message } from '../../core/model/message.js';
import type { ContextView } from '../../core/run/layer.js';
import type { CountPart } from '../../core/run/policy-rules.js';
import type { ModelRow } from '../../provider/prices/model-row.js';
import type { Counted, SeenCounter } from '../counting/seen-counter.js';
import type { Context } from './context.js';
import { Deletions } from './deletions.js';

/** What a layer may see of a thread. */
export class ThreadView implements ContextView {
  /** Whether the thread's cached prefix is still within its lifetime. */
  cacheIsWarm = false;
  cacheExpiresMs: number | null = null;
  cacheLifetimeMs: number | null = null;
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

/** A thread's conversation as its counter may ask about it. */
export class CountedThread implements Counted {
  private prefix: Context['prefix'] | null = null;
  private system = 0;
  private tools = 0;

  constructor(
    private readonly context: Context,
    private readonly model: { readonly row: ModelRow },
    private readonly client: { readonly dropsThinking: boolean },
  ) {}

  get dropsReasoning(): boolean {
    return this.client.dropsThinking && this.model.row.thinking !== 'keep-all';
  }

  get trueTokens(): number {
    return this.context.trueTokens;
  }

  prefixRough(parts: CountPart['includes']): number {
    if (this.prefix !== this.context.prefix) this.measure();
    return (parts.includes('system') ? this.system : 0) + (parts.includes('tools') ? this.tools : 0);
  }

  private measure(): void {
    this.prefix = this.context.prefix;
    this.system = 0;
    this.tools = 0;
    for (const { kind, rough } of this.prefix) {
      if (kind === 'tools') this.tools += rough;
      else this.system += rough;
    }
  }
}

/** What a thread's latest request left in the cache, as its client knows it. */
export class CachedPrefix {
  /** End of its lifetime. */
  untilMs = 0;
  /** How long an entry lives from a request on. */
  lifetimeMs = 0;
  private sentTokens = 0;

  /** A request was answered: it is cached from its start on for a lifetime. */
  renew(sentTokens: number, startMs: number, lifetimeMs: number): void {
    this.sentTokens = sentTokens;
    this.untilMs = startMs + lifetimeMs;
    this.lifetimeMs = lifetimeMs;
  }

  /** A short request read the entry, or wrote it again: the same is cached until then. */
  keepUntil(untilMs: number): void {
    this.untilMs = untilMs;
  }

  /** Live tokens of it in front of a position: not more than was sent, without what was deleted there. */
  tokensBefore(position: number, context: Context, deletions: Deletions, nowMs: number): number {
    if (nowMs >= this.untilMs) return 0;
    return Math.min(this.sentTokens, context.tokensBetween(0, position)) - deletions.upTo(position - 1);
  }
}
