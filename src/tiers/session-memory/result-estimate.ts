import { IMAGE_TOKENS } from '../../model/block.js';
import { type Message, messageTokens } from '../../model/message.js';
import type { ContextView, TierContext } from '../../model/tier.js';
import { estimateMessages, type HeuristicRules } from '../../tokens/heuristic.js';
import { param } from '../param-reader.js';
import { thresholds } from '../window/thresholds.js';

/** What a new history would weigh. */
export interface ResultEstimate {
  /** As the policy's own counter would see it before the next usage (TOK-5): messages alone. */
  readonly seen: number;
  /** True tokens of the request that would be sent, tools and system prompt included. */
  readonly true: number;
  /** True when auto-compaction would fire again at once (SES-8, BRK-3). */
  readonly wouldFireAgain: boolean;
}

/** Estimates a new history by the policy's counter and compares it with the auto-compact threshold (SES-8). */
export function estimateResult(
  messages: readonly Message[],
  view: ContextView,
  context: TierContext,
): ResultEstimate {
  const { params, plan } = context;
  const rules: HeuristicRules = {
    jsonBytesPerToken: param.numberOrNull(params, 'counter.jsonBytesPerToken'),
    padding: param.text(params, 'counter.newContent') === 'padded' ? { numerator: 4, denominator: 3 } : null, // TOK-3
    imageTokens: IMAGE_TOKENS,
  };
  const seen = Math.round(estimateMessages(messages, rules) * plan.estimatorFactor);
  let total = view.prefixTokens;
  for (const message of messages) total += messageTokens(message);
  const limit = thresholds(params, context.model()).autoCompact;
  return { seen, true: total, wouldFireAgain: limit !== null && seen >= limit };
}
