import { chainDigest, type Digest } from '../base/digest.js';
import type { Block } from '../model/block.js';
import type { PrefixView } from '../model/prefix.js';

/** A request that shares another's blocks byte for byte and adds some of its own (AGT-1): two array copies, no rehashing. */
export class ForkView implements PrefixView {
  readonly length: number;
  readonly digests: Float64Array;
  readonly sums: Float64Array;
  readonly toolsEnd: number;
  readonly systemEnd: number;

  constructor(parent: PrefixView, shared: number, added: readonly Block[]) {
    this.length = shared + added.length;
    this.digests = new Float64Array(this.length);
    this.sums = new Float64Array(this.length);
    copy(parent.digests, this.digests, shared);
    copy(parent.sums, this.sums, shared);
    let digest: Digest = shared === 0 ? 1 : parent.digests[shared - 1]!;
    let sum = shared === 0 ? 0 : parent.sums[shared - 1]!;
    added.forEach((block, i) => {
      digest = chainDigest(digest, block.digest);
      sum += block.tokens;
      this.digests[shared + i] = digest;
      this.sums[shared + i] = sum;
    });
    this.toolsEnd = parent.toolsEnd;
    this.systemEnd = parent.systemEnd;
  }
}

function copy(from: ArrayLike<number>, to: Float64Array, count: number): void {
  if (from instanceof Float64Array) to.set(from.subarray(0, count));
  else for (let i = 0; i < count; i++) to[i] = from[i]!;
}
