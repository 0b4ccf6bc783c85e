import { chainDigest, type Digest, digestParts } from '../base/digest.js';
import type { PrefixView } from '../model/prefix.js';

/** What one request added: a piece of the prompt that stays as it is until the context is rebuilt. */
interface Piece {
  readonly digest: Digest;
  tokens: number;
}

/**
 * The prompt of a thread as pieces: system and tools, then what each request added, so that an entry the cache holds
 * is the end of an earlier request. Sizes are the recorded ones; contents are known by the order of events alone.
 */
export class PromptTrack {
  #pieces: Piece[] = [];
  #serial = 0;

  constructor(
    private readonly name: string,
    private sharedDigest: Digest,
    private readonly sharedTokens: number,
  ) {
    this.#pieces = [{ digest: sharedDigest, tokens: sharedTokens }];
  }

  get tokens(): number {
    let total = 0;
    for (const piece of this.#pieces) total += piece.tokens;
    return total;
  }

  /** Adds a piece at the end. */
  grow(tokens: number): void {
    this.#serial++;
    this.#pieces.push({ digest: digestParts([this.name, this.#serial]), tokens });
  }

  /** The same contents at a smaller size: the prompt shrank, and nothing says where. */
  shrinkTo(tokens: number): void {
    let surplus = this.tokens - tokens;
    for (let i = this.#pieces.length - 1; i >= 1 && surplus > 0; i--) {
      const piece = this.#pieces[i]!;
      const taken = Math.min(piece.tokens, surplus);
      piece.tokens -= taken;
      surplus -= taken;
    }
    while (this.#pieces.length > 1 && this.#pieces.at(-1)!.tokens === 0) this.#pieces.pop();
  }

  /** The messages are made anew: only system and tools stay what they were. */
  rebuild(): void {
    this.#pieces.length = 1;
  }

  /** System and tools change as well. */
  replacePrefix(label: string): void {
    this.sharedDigest = digestParts([this.name, 'prefix', label]);
    this.#pieces = [{ digest: this.sharedDigest, tokens: this.sharedTokens }];
  }

  /** The contents behind so many tokens differ from what they were. */
  changeAfter(tokens: number): void {
    let total = 0;
    for (let i = 0; i < this.#pieces.length; i++) {
      const piece = this.#pieces[i]!;
      total += piece.tokens;
      if (total <= tokens) continue;
      this.#serial++;
      this.#pieces[i] = { digest: digestParts([this.name, this.#serial]), tokens: piece.tokens };
      return;
    }
  }

  /** The prompt as the cache sees it; `pieces` cuts it short. */
  view(pieces = this.#pieces.length): PrefixView {
    const digests: Digest[] = [];
    const sums: number[] = [];
    let digest: Digest = 1;
    let total = 0;
    for (let i = 0; i < pieces; i++) {
      const piece = this.#pieces[i]!;
      digest = chainDigest(digest, piece.digest);
      total += piece.tokens;
      digests.push(digest);
      sums.push(total);
    }
    return { length: pieces, digests, sums, toolsEnd: 0, systemEnd: 1 };
  }
}
