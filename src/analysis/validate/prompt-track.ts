import { chainDigest, type Digest, digestParts } from '../../core/base/digest.js';
import type { PrefixView } from '../../core/model/prefix.js';
import { LOOKBACK_POSITIONS } from '../../provider/cache/prompt-cache.js';

/** A block of the prompt; the tokens of what a request added lie on its first block. */
interface Piece {
  readonly digest: Digest;
  tokens: number;
}

/** Blocks a request may add and still find the end of the one before: one short of the lookback (CCH-1). */
const LARGEST_STEP_BLOCKS = LOOKBACK_POSITIONS - 1;

/**
 * The prompt of a thread as blocks: system and tools, then what each request added, so that an entry the cache holds
 * is the end of an earlier request. Sizes are the recorded ones; contents are known by the order of events alone.
 */
export class PromptTrack {
  readonly #pieces: Piece[];
  #serial = 0;
  #tokens: number;
  readonly #digests: Digest[] = [];
  readonly #sums: number[] = [];
  /** Positions whose digests and sums are up to date. */
  #valid = 0;

  constructor(
    private readonly name: string,
    sharedDigest: Digest,
    readonly sharedTokens: number,
  ) {
    this.#pieces = [{ digest: sharedDigest, tokens: sharedTokens }];
    this.#tokens = sharedTokens;
  }

  get tokens(): number {
    return this.#tokens;
  }

  /** Adds what a request or a response brought. Clients that mark the last two messages always reach the end of the one before. */
  grow(tokens: number, blocks: number, step: 'reached' | 'counted' = 'reached'): void {
    const count = Math.max(1, step === 'reached' ? Math.min(blocks, LARGEST_STEP_BLOCKS) : blocks);
    for (let i = 0; i < count; i++) {
      this.#serial++;
      this.#pieces.push({ digest: digestParts([this.name, this.#serial]), tokens: i === 0 ? tokens : 0 });
    }
    this.#tokens += tokens;
  }

  /** The same contents at a smaller size: the prompt shrank, and nothing says where. */
  shrinkTo(tokens: number): void {
    let i = this.#pieces.length - 1;
    for (; i >= 1 && this.#tokens > tokens; i--) {
      const piece = this.#pieces[i]!;
      const taken = Math.min(piece.tokens, this.#tokens - tokens);
      piece.tokens -= taken;
      this.#tokens -= taken;
    }
    this.#touch(Math.max(0, i));
  }

  /** The messages are made again: only system and tools stay what they were. */
  rebuild(): void {
    this.#pieces.length = 1;
    this.#tokens = this.sharedTokens;
    this.#touch(1);
  }

  /** System and tools change as well. */
  replacePrefix(label: string): void {
    this.rebuild();
    this.#pieces[0] = { digest: digestParts([this.name, 'prefix', label]), tokens: this.sharedTokens };
    this.#touch(0);
  }

  /** The contents behind an offset in tokens have changed. */
  changeAfter(tokens: number): void {
    let total = 0;
    for (let i = 0; i < this.#pieces.length; i++) {
      const piece = this.#pieces[i]!;
      total += piece.tokens;
      if (total <= tokens) continue;
      this.#serial++;
      this.#pieces[i] = { digest: digestParts([this.name, this.#serial]), tokens: piece.tokens };
      this.#touch(i);
      return;
    }
  }

  /** The prompt as the cache sees it; `pieces` cuts it short. */
  view(pieces = this.#pieces.length): PrefixView {
    for (let i = this.#valid; i < this.#pieces.length; i++) {
      const piece = this.#pieces[i]!;
      this.#digests[i] = chainDigest(i === 0 ? 1 : this.#digests[i - 1]!, piece.digest);
      this.#sums[i] = (i === 0 ? 0 : this.#sums[i - 1]!) + piece.tokens;
    }
    this.#valid = this.#pieces.length;
    return { length: pieces, digests: this.#digests, sums: this.#sums, toolsEnd: 0, systemEnd: 1 };
  }

  #touch(index: number): void {
    if (index < this.#valid) this.#valid = index;
  }
}
