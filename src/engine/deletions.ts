import { CcbenchError } from '../base/errors.js';
import type { PlacedResult } from '../model/action.js';
import type { Block } from '../model/block.js';
import type { DeletedContent } from '../model/deleted-content.js';
import type { Layer } from '../model/run-log.js';
import type { Context } from './context.js';

/** Tool results of a thread that were deleted on the server and are sent again as pinned edits while the cache lives (MIC-3). */
export class Deletions implements DeletedContent {
  tokens = 0;
  /** Layer that asked for them. */
  layer: Layer = 'microcompact';
  private readonly ids = new Set<string>();
  /** Index of the last message that holds one. */
  private lastMessage = -1;

  constructor(private readonly context: Context) {}

  /** Pins more results; returns their true tokens. */
  add(layer: Layer, results: readonly PlacedResult[]): number {
    let tokens = 0;
    for (const { toolUseId, messageIndex } of results) {
      const message = this.context.messages[messageIndex];
      const result = message?.blocks.find((block) => isResultOf(block, toolUseId));
      if (result === undefined) throw new CcbenchError('internal', `no tool result ${toolUseId} to delete`);
      tokens += result.tokens;
      this.ids.add(toolUseId);
      if (messageIndex > this.lastMessage) this.lastMessage = messageIndex;
    }
    this.layer = layer;
    this.tokens += tokens;
    return tokens;
  }

  /** Forgets them all; returns their true tokens. */
  clear(): number {
    const { tokens } = this;
    if (tokens === 0) return 0;
    this.tokens = 0;
    this.ids.clear();
    this.lastMessage = -1;
    return tokens;
  }

  /** The same deletions in a conversation that begins with the same messages. */
  copyTo(context: Context): Deletions {
    const copy = new Deletions(context);
    copy.tokens = this.tokens;
    copy.layer = this.layer;
    copy.lastMessage = this.lastMessage;
    for (const id of this.ids) copy.ids.add(id);
    return copy;
  }

  upTo(position: number): number {
    if (this.tokens === 0 || position < 0) return 0;
    const { blocks, owners } = this.context;
    const last = Math.min(position, blocks.length - 1);
    if (owners[last]! > this.lastMessage) return this.tokens;
    return Math.min(this.tokens, this.tokensAmong(blocks, last + 1));
  }

  /** What they take out of a request that begins with so many positions of the conversation and goes on with other blocks. */
  within(shared: number, added: readonly Block[]): DeletedContent | null {
    if (this.tokens === 0) return null;
    const inShared = this.upTo(shared - 1);
    const tokens = inShared + this.tokensAmong(added, added.length);
    if (tokens === 0) return null;
    const behind = (position: number): number => this.tokensAmong(added, position - shared + 1);
    return {
      tokens,
      upTo: (position) => (position < shared ? this.upTo(position) : inShared + behind(position)),
    };
  }

  private tokensAmong(blocks: readonly Block[], count: number): number {
    let tokens = 0;
    for (let i = 0; i < count; i++) {
      const block = blocks[i]!;
      if (block.kind === 'tool_result' && this.ids.has(block.toolUseId ?? '')) tokens += block.tokens;
    }
    return tokens;
  }
}

function isResultOf(block: Block, toolUseId: string): boolean {
  return block.kind === 'tool_result' && block.toolUseId === toolUseId;
}
