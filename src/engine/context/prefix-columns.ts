import { chainDigest, type Digest } from '../../core/base/digest.js';
import type { Block } from '../../core/model/block.js';
import { GrowableFloats } from '../counting/growable.js';

const START: Digest = 1;

/** Numbers beside the blocks of a request, position by position: chained digests, running sums, blocks of thinking so far (K7). */
export class PrefixColumns {
  private readonly chain = new GrowableFloats();
  private readonly totals = new GrowableFloats();
  private readonly thinkingCounts = new GrowableFloats();

  get digests(): Float64Array {
    return this.chain.data;
  }

  get sums(): Float64Array {
    return this.totals.data;
  }

  get uncounted(): Float64Array {
    return this.thinkingCounts.data;
  }

  /** True tokens of all positions. */
  get trueTokens(): number {
    return this.totals.length === 0 ? 0 : this.totals.data[this.totals.length - 1]!;
  }

  /** Makes room for this many positions. */
  reserve(positions: number): void {
    this.chain.reserve(positions);
    this.totals.reserve(positions);
    this.thinkingCounts.reserve(positions);
  }

  /** Hands the columns back when a request is over that had its own. */
  release(): void {
    this.chain.release();
    this.totals.release();
    this.thinkingCounts.release();
  }

  /** A block at the next position. */
  pushColumns(block: Block): void {
    const last = this.totals.length - 1;
    this.chain.push(chainDigest(last < 0 ? START : this.chain.data[last]!, block.digest));
    this.totals.push((last < 0 ? 0 : this.totals.data[last]!) + block.tokens);
    const thinking = last < 0 ? 0 : this.thinkingCounts.data[last]!;
    this.thinkingCounts.push(block.kind === 'thinking' ? thinking + 1 : thinking);
  }

  /** Takes everything from a position on away. */
  truncateColumns(position: number): void {
    this.chain.truncate(position);
    this.totals.truncate(position);
    this.thinkingCounts.truncate(position);
  }

  /** True tokens of the positions from one on up to another. */
  tokensBetween(from: number, to: number): number {
    if (to <= from) return 0;
    return this.totals.data[to - 1]! - (from === 0 ? 0 : this.totals.data[from - 1]!);
  }
}
