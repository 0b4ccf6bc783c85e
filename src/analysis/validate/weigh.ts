import { type Block, CHARS_PER_TOKEN, IMAGE_TOKENS, mediaCount } from '../../core/model/block.js';
import type { Message } from '../../core/model/message.js';
import { RESTORED_CONTEXT, UNLOGGED_CONTEXT } from '../../transcripts/drafts/calibrate.js';

/** Characters of a sealed thinking block per token of the thinking. */
const SIGNATURE_CHARS_PER_TOKEN = 3;

function weighBlock(block: Block): number {
  if (block.kind === 'image' || block.kind === 'document') return IMAGE_TOKENS;
  if (block.kind === 'thinking' && block.text?.chars === 0) return block.chars / SIGNATURE_CHARS_PER_TOKEN;
  return (block.text?.chars ?? block.chars) / CHARS_PER_TOKEN + mediaCount(block.facts) * IMAGE_TOKENS;
}

/** True for a message that stands for growth the lines do not show: it was made from the usage to be predicted. */
export function isInferred(message: Message): boolean {
  const kind = message.blocks[0]?.facts.attachment;
  return kind === RESTORED_CONTEXT || kind === UNLOGGED_CONTEXT;
}

/** Tokens of a message by its characters alone, at the median of recorded sessions (E6). */
export function weighMessage(message: Message): number {
  if (isInferred(message)) return 0;
  let total = 0;
  for (const block of message.blocks) total += weighBlock(block);
  return total;
}

/** Tokens of a message at four characters each: the one-line rule's guess. */
export function roughMessage(message: Message): number {
  if (isInferred(message)) return 0;
  let total = 0;
  for (const block of message.blocks) total += block.rough;
  return total;
}
