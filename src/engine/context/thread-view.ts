import { chainDigest, type Digest } from '../../core/base/digest.js';
import type { Files } from '../../core/base/files.js';
import type { Block } from '../../core/model/block.js';
import type { Message } from '../../core/model/message.js';
import type { Breakpoint, PrefixView } from '../../core/model/prefix.js';
import type { ContextView } from '../../core/run/layer.js';
import type { CountPart } from '../../core/run/policy-rules.js';
import type { ModelRow } from '../../provider/prices/model-row.js';
import type { Counted, SeenCounter } from '../counting/seen-counter.js';
import type { Context } from './context.js';
import { Deletions } from './deletions.js';

/** System blocks a client marks (measured: two, then the last message or the last two). */
const MARKED_SYSTEM_BLOCKS = 2;

/** Where a client puts its cache breakpoints; `context` is given when the view is the thread's own request. */
export function breakpointsFor(
  view: PrefixView,
  layout: string,
  ttlMs: number,
  context: Context | null,
): readonly Breakpoint[] {
  const placed: Breakpoint[] = [];
  if (layout === 'none') return placed;
  for (let i = Math.max(view.toolsEnd, view.systemEnd - MARKED_SYSTEM_BLOCKS); i < view.systemEnd; i++) {
    placed.push({ position: i, ttlMs });
  }
  if (layout === 'system+last-two' && context !== null) {
    const end = previousMessageEnd(context);
    if (end >= view.systemEnd && context.blocks[end]!.kind !== 'thinking')
      placed.push({ position: end, ttlMs });
  }
  if (view.length > view.systemEnd) placed.push({ position: view.length - 1, ttlMs });
  return placed;
}

/** Last position of the API message before the last one, or −1. */
function previousMessageEnd({ blocks, systemEnd }: Context): number {
  let i = blocks.length - 1;
  const role = blocks[i]?.role;
  while (i >= systemEnd && blocks[i]!.role === role) i--;
  return i >= systemEnd ? i : -1;
}

/**
 * A request that shares the beginning of a thread's own byte for byte and adds blocks (AGT-1). It is laid over the end of
 * the thread's columns, so it costs the added blocks alone; `close` restores what was there.
 */
export class ForkView implements PrefixView {
  readonly length: number;
  readonly digests: Float64Array;
  readonly sums: Float64Array;
  readonly uncounted: Float64Array;
  readonly toolsEnd: number;
  readonly systemEnd: number;
  private readonly covered: number[] = [];

  constructor(
    context: Context,
    private readonly shared: number,
    added: readonly Block[],
  ) {
    this.length = shared + added.length;
    context.reserve(this.length);
    this.digests = context.digests;
    this.sums = context.sums;
    this.uncounted = context.uncounted;
    this.toolsEnd = context.toolsEnd;
    this.systemEnd = context.systemEnd;
    const end = Math.min(context.length, this.length);
    for (let i = shared; i < end; i++) this.covered.push(this.digests[i]!, this.sums[i]!, this.uncounted[i]!);
    const thinking = shared === 0 ? 0 : this.uncounted[shared - 1]!;
    let digest: Digest = shared === 0 ? 1 : this.digests[shared - 1]!;
    let sum = shared === 0 ? 0 : this.sums[shared - 1]!;
    for (let i = 0; i < added.length; i++) {
      const block = added[i]!;
      digest = chainDigest(digest, block.digest);
      sum += block.tokens;
      this.digests[shared + i] = digest;
      this.sums[shared + i] = sum;
      this.uncounted[shared + i] = thinking;
    }
  }

  /** The request is over: the thread's own columns are as they were. */
  close(): void {
    const { covered } = this;
    for (let i = 0; i < covered.length; i += 3) {
      const position = this.shared + i / 3;
      this.digests[position] = covered[i]!;
      this.sums[position] = covered[i + 1]!;
      this.uncounted[position] = covered[i + 2]!;
    }
  }
}

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
