import { chainDigest } from '../../core/base/digest.js';
import type { PrefixView } from '../../core/model/prefix.js';
import { HASH_BLOCK_TOKENS } from '../../core/model/sent-request.js';

/** A prompt as positions with chained digests and running sums. */
export type DigestedPrompt = Pick<PrefixView, 'length' | 'digests' | 'sums'>;

/**
 * The ids of a prompt's blocks of tokens. A digest covers everything up to the end of its position, so an id depends on all
 * content before the block's end, and on no more than the position that the end lies in.
 */
export function blockIds({ length, digests, sums }: DigestedPrompt): readonly number[] {
  const tokens = length === 0 ? 0 : sums[length - 1]!;
  const ids: number[] = [];
  let position = 0;
  for (let start = 0; start < tokens; start += HASH_BLOCK_TOKENS) {
    const end = Math.min(start + HASH_BLOCK_TOKENS, tokens);
    while (sums[position]! < end) position++;
    const inside = end - (position === 0 ? 0 : sums[position - 1]!);
    ids.push(chainDigest(digests[position]!, inside));
  }
  return ids;
}
