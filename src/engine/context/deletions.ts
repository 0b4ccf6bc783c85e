import { CcbenchError } from '../../core/base/errors.js';
import type { Block } from '../../core/model/block.js';
import type { DeletedContent } from '../../core/model/prefix.js';
import type { PlacedResult } from '../../core/run/action.js';
import type { Layer } from '../../core/run/log-entries.js';
import type { Context } from './context.js';

/** Tool results of a thread that were deleted on the server and are sent again as pinned edits while the cache lives (MIC-3). */
export class Deletions implements DeletedContent {
  tokens = 0;
  /** Layer that asked for them. */
  layer: Layer = 'microcompact';
  private batches: (readonly PlacedResult[])[] = [];
  /** Ids of the first N batches: the others are added when they must be looked up one by one. */
  private readonly ids = new Set<string>();
  private indexed = 0;
  /** Indexes of the first and the last message that hold one. */
  private firstMessage = Number.POSITIVE_INFINITY;
  private lastMessage = -1;

  constructor(private readonly context: Context) {}

  /** Pins more results; returns their true tokens. */
  add(layer: Layer, results: readonly PlacedResult[]): number {
    let tokens = 0;
    for (let i = 0; i < results.length; i++) {
      const { toolUseId, messageIndex } = results[i]!;
      tokens += this.tokensOf(toolUseId, messageIndex);
      if (messageIndex < this.firstMessage) this.firstMessage = messageIndex;
      if (messageIndex > this.lastMessage) this.lastMessage = messageIndex;
    }
    this.batches.push(results);
    this.layer = layer;
    this.tokens += tokens;
    return tokens;
  }

  private tokensOf(toolUseId: string, messageIndex: number): number {
    const blocks = this.context.messages[messageIndex]?.blocks ?? [];
    for (let i = 0; i < blocks.length; i++) {
      const { kind, toolUseId: id, tokens } = blocks[i]!;
      if (kind === 'tool_result' && id === toolUseId) return tokens;
    }
    throw new CcbenchError('internal', `no tool result ${toolUseId} to delete`);
  }

  /** Forgets them all; returns their true tokens. */
  clear(): number {
    const { tokens } = this;
    if (tokens === 0) return 0;
    this.tokens = 0;
    this.batches = [];
    this.ids.clear();
    this.indexed = 0;
    this.firstMessage = Number.POSITIVE_INFINITY;
    this.lastMessage = -1;
    return tokens;
  }

  /** Forgets those whose results leave the conversation, before they do; returns their true tokens. */
  drop(toolUseIds: ReadonlySet<string>): number {
    if (this.tokens === 0 || toolUseIds.size === 0) return 0;
    const kept: PlacedResult[] = [];
    let tokens = 0;
    for (const result of this.batches.flat()) {
      if (toolUseIds.has(result.toolUseId)) tokens += this.tokensOf(result.toolUseId, result.messageIndex);
      else kept.push(result);
    }
    const { layer } = this;
    this.clear();
    if (kept.length > 0) this.add(layer, kept);
    return tokens;
  }

  /** The same deletions in a conversation that begins with the same messages. */
  copyTo(context: Context): Deletions {
    const copy = new Deletions(context);
    copy.tokens = this.tokens;
    copy.layer = this.layer;
    copy.firstMessage = this.firstMessage;
    copy.lastMessage = this.lastMessage;
    copy.batches = [...this.batches];
    return copy;
  }

  upTo(position: number): number {
    if (this.tokens === 0 || position < 0) return 0;
    const { blocks, owners } = this.context;
    const last = Math.min(position, blocks.length - 1);
    if (owners[last]! > this.lastMessage) return this.tokens;
    if (owners[last]! < this.firstMessage) return 0;
    return Math.min(this.tokens, this.tokensAmong(blocks, last + 1));
  }

  /** What they take out of a request that begins with this many positions of the conversation and continues with other blocks. */
  within(shared: number, added: readonly Block[]): DeletedContent | null {
    if (this.tokens === 0) return null;
    const inShared = this.upTo(shared - 1);
    if (inShared === this.tokens) return this;
    const tokens = inShared + this.tokensAmong(added, added.length);
    if (tokens === 0) return null;
    const behind = (position: number): number => this.tokensAmong(added, position - shared + 1);
    return {
      tokens,
      upTo: (position) => (position < shared ? this.upTo(position) : inShared + behind(position)),
    };
  }

  /** First position of the message that holds the last one; null without one. */
  get lastPosition(): number | null {
    if (this.tokens === 0) return null;
    const position = this.context.owners.indexOf(this.lastMessage);
    return position === -1 ? null : position;
  }

  /** Whether a result is deleted. */
  has(toolUseId: string | null): boolean {
    if (this.tokens === 0 || toolUseId === null) return false;
    this.index();
    return this.ids.has(toolUseId);
  }

  private index(): void {
    for (; this.indexed < this.batches.length; this.indexed++)
      for (const { toolUseId } of this.batches[this.indexed]!) this.ids.add(toolUseId);
  }

  private tokensAmong(blocks: readonly Block[], count: number): number {
    this.index();
    let tokens = 0;
    for (let i = 0; i < count; i++) {
      const block = blocks[i]!;
      if (block.kind === 'tool_result' && this.ids.has(block.toolUseId ?? '')) tokens += block.tokens;
    }
    return tokens;
  }
}
