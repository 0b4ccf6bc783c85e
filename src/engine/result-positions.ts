import type { Block } from '../model/block.js';

/** Where tool results stand in a request; found out as far as somebody asks. */
export class ResultPositions {
  private readonly positions = new Map<string, number>();
  private known = 0;

  /** Position of a result, or −1. */
  find(toolUseId: string, blocks: readonly Block[]): number {
    for (; this.known < blocks.length; this.known++) {
      const block = blocks[this.known]!;
      if (block.kind === 'tool_result' && block.toolUseId !== null)
        this.positions.set(block.toolUseId, this.known);
    }
    return this.positions.get(toolUseId) ?? -1;
  }

  /** The blocks from a position on are about to go. */
  cutAt(position: number, blocks: readonly Block[]): void {
    for (let i = position; i < this.known; i++) {
      const block = blocks[i]!;
      if (block.kind === 'tool_result' && block.toolUseId !== null) this.positions.delete(block.toolUseId);
    }
    this.known = Math.min(this.known, position);
  }
}
