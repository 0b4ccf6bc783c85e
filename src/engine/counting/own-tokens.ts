import type { Block } from '../../core/model/block.js';
import type { Message } from '../../core/model/message.js';

const CAPACITY = 256;
const MOST_SPARE = 12;

/** Unused arrays: a new one costs more than filling it for a short request. */
const spare: Float64Array[] = [];

const NONE = new Float64Array(0);

/** A Float64Array that grows by doubling; `data` is replaced when it does. */
export class GrowableFloats {
  data: Float64Array;
  length = 0;

  constructor(capacity = CAPACITY) {
    this.data = (capacity === CAPACITY ? spare.pop() : undefined) ?? new Float64Array(capacity);
  }

  /** Hands its array back; it cannot be used after that. */
  release(): void {
    if (spare.length < MOST_SPARE) spare.push(this.data);
    this.length = 0;
    this.data = NONE;
  }

  push(value: number): void {
    if (this.length === this.data.length) this.reserve(this.length + 1);
    this.data[this.length++] = value;
  }

  /** Makes room for this many values. */
  reserve(length: number): void {
    if (length <= this.data.length) return;
    const larger = new Float64Array(Math.max(length, this.data.length * 2));
    larger.set(this.data);
    this.data = larger;
  }

  truncate(length: number): void {
    this.length = length;
  }
}

/** Whether a message came with the session, or was made by a layer. */
export type Origin = 'original' | 'made';

/** How much of a session's own content is still in the context as it came, tools and system included. */
export class OwnTokens {
  /** Tokens of blocks that came with the session and are unchanged here. */
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

  /** Everything is gone, or everything after tools and system prompt. */
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

/** The blocks of a conversation that its previous request did not hold. */
export class FreshBlocks {
  tokens = 0;
  private readonly blocks = new Set<Block>();

  has(block: Block): boolean {
    return this.blocks.has(block);
  }

  add(block: Block): void {
    if (this.blocks.has(block)) return;
    this.blocks.add(block);
    this.tokens += block.tokens;
  }

  remove(block: Block): void {
    if (this.blocks.delete(block)) this.tokens -= block.tokens;
  }

  /** Takes those of some blocks out that are among them. */
  take(blocks: readonly Block[]): ReadonlySet<Block> {
    const taken = new Set<Block>();
    if (this.blocks.size === 0) return taken;
    // Mostly the blocks of a turn against those of a whole conversation: to look for the few costs less.
    const known = new KnownItems(blocks);
    for (const block of this.blocks) if (known.has(block)) taken.add(block);
    for (const block of taken) this.remove(block);
    return taken;
  }

  clear(): void {
    this.blocks.clear();
    this.tokens = 0;
  }
}

/** Searches that are made one by one before a set is worth it. */
const FEW = 48;

/**
 * Whether things are among some others. They are mostly in the same order, so each search begins
 * after the last find; only when many are not to be found there, a set is made.
 */
export class KnownItems<T> {
  private next = 0;
  private searches = 0;
  private set: ReadonlySet<T> | null = null;

  constructor(private readonly items: readonly T[]) {}

  has(item: T): boolean {
    if (this.items[this.next] === item) {
      this.next++;
      return true;
    }
    if (this.set !== null) return this.set.has(item);
    if (++this.searches > FEW) this.set = new Set(this.items);
    const place = this.items.indexOf(item);
    if (place !== -1) this.next = place + 1;
    return place !== -1;
  }
}
