import { ratio } from '../base/stats.js';
import { type Block, IMAGE_TOKENS } from '../model/block.js';
import { type Message, messageTokens } from '../model/message.js';
import type { ParamValues } from '../run/params.js';

/** How a client guesses tokens from characters. */
export interface HeuristicRules {
  /** Divisor for JSON-like content; null counts it like any text (TOK-1). */
  readonly jsonBytesPerToken: number | null;
  /** Factor on the sum over a message list, rounded up; null leaves the sum alone (TOK-3). */
  readonly padding: { readonly numerator: number; readonly denominator: number } | null;
  /** Flat count of an image (TOK-1). */
  readonly imageTokens: number;
  /** What of a tool call is counted: its name and JSON input, or the JSON of the whole block (TOK-3). */
  readonly toolUse: 'name-and-input' | 'whole-block';
  /** Whether a message whose content is a plain string is counted (TOK-3). */
  readonly plainStrings: 'counted' | 'zero';
  /** Characters of a token; null goes by the usual four. */
  readonly charsPerToken: number | null;
  /** Tokens added for each message. */
  readonly perMessage: number;
  /** How thinking is counted: its words, the JSON of the whole block (TOK-3), or not at all. */
  readonly thinking: 'counted' | 'whole-block' | 'zero';
}

/** Characters per token of plain text (TOK-1). */
const CHARS_PER_TOKEN_GUESS = 4;

/** The estimator of the shipped clients' triggers: characters / 4, no padding (measured, Estimator). */
export const PLAIN_RULES: HeuristicRules = Object.freeze({
  jsonBytesPerToken: null,
  padding: null,
  imageTokens: IMAGE_TOKENS,
  toolUse: 'name-and-input',
  plainStrings: 'counted',
  charsPerToken: null,
  perMessage: 0,
  thinking: 'counted',
});

/** The estimator with the safety margin of a third (TOK-3). */
export const PADDED_RULES: HeuristicRules = Object.freeze({
  ...PLAIN_RULES,
  padding: Object.freeze({ numerator: 4, denominator: 3 }), // TOK-3
});

/** Rough tokens of a text of this many characters (TOK-1). */
export function estimateText(chars: number): number {
  return Math.round(chars / CHARS_PER_TOKEN_GUESS);
}

/** Characters of a tool call's JSON besides its id, its name and its input. */
const TOOL_USE_FRAME_CHARS = '{"type":"tool_use","id":"","name":"","input":}'.length;

/** Characters of the JSON of thinking besides its words; the signature is left empty. */
const THINKING_FRAME_CHARS = '{"type":"thinking","thinking":"","signature":""}'.length;

/** Rough tokens of a block, without padding (TOK-1 … TOK-3); a document counts by its JSON. */
export function estimateBlock(block: Block, rules: HeuristicRules): number {
  if (block.kind === 'image') return rules.imageTokens;
  if (rules.charsPerToken !== null || rules.thinking === 'zero') return estimateOwn(block, rules);
  if (block.kind === 'tool_use' && rules.toolUse === 'whole-block')
    return estimateText(block.chars + TOOL_USE_FRAME_CHARS + (block.toolUseId?.length ?? 0));
  if (block.kind === 'thinking' && rules.thinking === 'whole-block')
    return estimateText(block.chars + THINKING_FRAME_CHARS);
  const images = block.facts.images ?? 0;
  if (rules.jsonBytesPerToken !== null && block.facts.jsonLike === true) {
    return Math.round(block.chars / rules.jsonBytesPerToken) + images * rules.imageTokens;
  }
  return images === 0 ? block.rough : block.rough + images * (rules.imageTokens - IMAGE_TOKENS);
}

/** The estimate of a client that counts in its own way. */
function estimateOwn(block: Block, rules: HeuristicRules): number {
  if (block.kind === 'thinking' && rules.thinking === 'zero') return 0;
  const images = (block.facts.images ?? 0) * rules.imageTokens;
  return Math.round(block.chars / (rules.charsPerToken ?? CHARS_PER_TOKEN_GUESS)) + images;
}

/** False for boundaries: system messages of the client, kept in the list but never sent (TOK-3, FLT-1). */
function isCounted(message: Message): boolean {
  return message.origin !== 'boundary' && (message.role === 'user' || message.role === 'assistant');
}

/** True for a message whose content is a plain string: a typed prompt, the summary of a compaction. */
function isPlainString({ blocks }: Message): boolean {
  if (blocks.length !== 1) return false;
  const { facts } = blocks[0]!;
  return facts.plain === true || facts.replaces === 'summary';
}

/** Whether the blocks of a message count under some rules (TOK-3). */
export function isCountedBy(message: Message, rules: HeuristicRules): boolean {
  return isCounted(message) && (rules.plainStrings === 'counted' || !isPlainString(message));
}

/** Rough tokens of a message, without padding. */
export function estimateMessage(message: Message, rules: HeuristicRules): number {
  if (!isCountedBy(message, rules)) return 0;
  let total = rules.perMessage;
  for (let i = 0; i < message.blocks.length; i++) total += estimateBlock(message.blocks[i]!, rules);
  return total;
}

/** Rough tokens of the messages, padded as the rules say (TOK-3). */
export function estimateMessages(messages: readonly Message[], rules: HeuristicRules): number {
  let total = 0;
  for (let i = 0; i < messages.length; i++) total += estimateMessage(messages[i]!, rules);
  return padded(total, rules);
}

/** A sum with the rules' padding, rounded up (TOK-3). */
function padded(sum: number, rules: HeuristicRules): number {
  if (rules.padding === null) return sum;
  return Math.ceil((sum * rules.padding.numerator) / rules.padding.denominator);
}

/** How far an estimate is from the true count (TOK-10). */
export interface EstimatorError {
  readonly heuristic: number;
  readonly true: number;
  /** Estimate over true count: below 1 it under-counts; null when there is nothing to count. */
  readonly ratio: number | null;
}

/** Compares what a client would guess for the messages with what they truly cost (TOK-10). */
export function estimatorError(
  messages: readonly Message[],
  rules: HeuristicRules = PLAIN_RULES,
): EstimatorError {
  const heuristic = estimateMessages(messages, rules);
  let tokens = 0;
  for (const message of messages) if (isCounted(message)) tokens += messageTokens(message);
  return { heuristic, true: tokens, ratio: ratio(heuristic, tokens) };
}

/** The estimator that a policy's parameters describe, with or without the margin of TOK-3. */
export function heuristicRules(params: ParamValues, margin: 'margin' | 'bare'): HeuristicRules {
  const jsonBytes = params['counter.jsonBytesPerToken'];
  return {
    ...(margin === 'margin' ? PADDED_RULES : PLAIN_RULES),
    jsonBytesPerToken: typeof jsonBytes === 'number' ? jsonBytes : null,
    toolUse: params['counter.toolUse'] === 'whole-block' ? 'whole-block' : 'name-and-input',
    plainStrings: params['counter.plainStrings'] === 'zero' ? 'zero' : 'counted',
    thinking: params['counter.thinking'] === 'whole-block' ? 'whole-block' : 'counted',
  };
}
