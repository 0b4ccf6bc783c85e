import { formatDigest } from '../base/digest.js';
import type { Block } from './block.js';

const WORDS =
  'the value of each field is read once and kept with its line until the next step asks for it again ';

/** A text of exactly this length that depends on the seed alone: stands in for content a recording does not hold. */
export function fillerText(chars: number, seed: string): string {
  const opening = `${seed} `;
  return (opening + WORDS.repeat(Math.ceil(chars / WORDS.length))).slice(0, Math.max(0, chars));
}

/** The text of a block; an opaque one gets filler of its length. */
export function textOrFiller(block: Block): string {
  return block.text === null ? fillerText(block.chars, formatDigest(block.digest)) : block.text.read();
}
