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
    for (const block of blocks) if (this.blocks.has(block)) taken.add(block);
    for (const block of taken) this.remove(block);
    return taken;
  }

  clear(): void {
    this.blocks.clear();
    this.tokens = 0;
  }
}
