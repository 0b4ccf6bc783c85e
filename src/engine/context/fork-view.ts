import { chainDigest, type Digest } from '../../core/base/digest.js';
import type { Block } from '../../core/model/block.js';
import type { PrefixView } from '../../core/model/prefix.js';
import type { Context } from './context.js';

/**
 * A request that shares the beginning of a thread's own byte for byte and adds blocks (AGT-1). It is laid over the end of
 * the thread's columns, so it costs the added blocks alone; `close` puts back what stood there.
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
