import type { Block } from '../../core/model/block.js';

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
 * Tells whether things are among some others. What is asked for mostly stands there in the same order, so each search begins
 * behind the last find; only when many are not to be found there, a set is made.
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
