import { type Block, IMAGE_TOKENS } from '../model/block.js';
import type { Message } from '../model/message.js';

/** How a client guesses tokens from characters. */
export interface HeuristicRules {
  /** Divisor for JSON-like content; null counts it like any text (TOK-1). */
  readonly jsonBytesPerToken: number | null;
  /** Factor on the sum over a message list, rounded up; null leaves the sum alone (TOK-3). */
  readonly padding: { readonly numerator: number; readonly denominator: number } | null;
  /** Flat count of an image or a document (TOK-1). */
  readonly imageTokens: number;
}

/** Characters per token of plain text (TOK-1). */
const CHARS_PER_TOKEN_GUESS = 4;

/** The estimator of the shipped clients' triggers: characters / 4, no padding (measured, Estimator). */
export const PLAIN_RULES: HeuristicRules = Object.freeze({
  jsonBytesPerToken: null,
  padding: null,
  imageTokens: IMAGE_TOKENS,
});

/** The estimator with the safety margin of a third (TOK-3). */
export const PADDED_RULES: HeuristicRules = Object.freeze({
  ...PLAIN_RULES,
  padding: Object.freeze({ numerator: 4, denominator: 3 }), // TOK-3
});

/** Rough tokens of a text of so many characters (TOK-1). */
export function estimateText(chars: number): number {
  return Math.round(chars / CHARS_PER_TOKEN_GUESS);
}

/** Rough tokens of a block, without padding (TOK-1, TOK-2). */
export function estimateBlock(block: Block, rules: HeuristicRules): number {
  if (block.kind === 'image' || block.kind === 'document') return rules.imageTokens;
  const images = block.facts.images ?? 0;
  if (rules.jsonBytesPerToken !== null && block.facts.jsonLike === true) {
    return Math.round(block.chars / rules.jsonBytesPerToken) + images * rules.imageTokens;
  }
  return images === 0 ? block.rough : block.rough + images * (rules.imageTokens - IMAGE_TOKENS);
}

/** False for boundaries: system messages of the client, kept in the list but never sent (TOK-3, FLT-1). */
export function isCounted(message: Message): boolean {
  return message.origin !== 'boundary' && (message.role === 'user' || message.role === 'assistant');
}

/** Rough tokens of a message, without padding. */
export function estimateMessage(message: Message, rules: HeuristicRules): number {
  if (!isCounted(message)) return 0;
  let total = 0;
  for (let i = 0; i < message.blocks.length; i++) total += estimateBlock(message.blocks[i]!, rules);
  return total;
}

/** Rough tokens of the messages from an index on, padded as the rules say (TOK-3). */
export function estimateMessages(messages: readonly Message[], rules: HeuristicRules, from = 0): number {
  let total = 0;
  for (let i = from; i < messages.length; i++) total += estimateMessage(messages[i]!, rules);
  return padded(total, rules);
}

/** A sum with the rules' padding, rounded up (TOK-3). */
function padded(sum: number, rules: HeuristicRules): number {
  if (rules.padding === null) return sum;
  return Math.ceil((sum * rules.padding.numerator) / rules.padding.denominator);
}
