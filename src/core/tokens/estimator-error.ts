import { ratio } from '../base/stats.js';
import { type Message, messageTokens } from '../model/message.js';
import { estimateMessages, type HeuristicRules, isCounted, PLAIN_RULES } from './heuristic.js';

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
