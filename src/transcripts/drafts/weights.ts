import { type Block, IMAGE_TOKENS, mediaCount } from '../../core/model/block.js';
import type { DraftMessage } from './draft.js';

/** Characters of a thinking signature per token of the thinking it seals. */
export const SIGNATURE_CHARS_PER_TOKEN = 3;

/** Tokens a block is worth at a ratio of characters per token. */
export function weightOf(block: Block, ratio: number): number {
  if (block.kind === 'image' || block.kind === 'document') return IMAGE_TOKENS;
  const sealed = block.kind === 'thinking' && (block.text?.chars ?? 0) === 0;
  if (sealed) return block.chars / SIGNATURE_CHARS_PER_TOKEN;
  return (block.text?.chars ?? block.chars) / ratio + mediaCount(block.facts) * IMAGE_TOKENS;
}

/** Tokens of every block of some messages at a ratio. */
export function weightsOf(messages: readonly DraftMessage[], ratio: number): number[] {
  const weights: number[] = [];
  for (const message of messages) for (const block of message.blocks) weights.push(weightOf(block, ratio));
  return weights;
}

/** The sum of some weights. */
export function total(values: readonly number[]): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}
