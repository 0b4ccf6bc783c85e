import { type Message, messageTokens } from '../../../core/model/message.js';
import type { ContextView, TierContext } from '../../../core/run/tier.js';
import { estimateMessages, heuristicRules } from '../../../core/tokens/heuristic.js';
import { param } from '../support/param-reader.js';
import { autoCompactEnabled, compactLimit } from '../window/thresholds.js';

/** What a new history would weigh. */
export interface ResultEstimate {
  /** As the policy's own counter would see it before the next usage (TOK-5): messages alone. */
  readonly seen: number;
  /** The same with the margin of TOK-3, whatever the counter adds. */
  readonly withMargin: number;
  /** True tokens of the request that would be sent, tools and system prompt included. */
  readonly true: number;
  /** True when that with the margin is at or above the auto-compact threshold (SES-8, BRK-3, C26). */
  readonly wouldFireAgain: boolean;
}

/** Estimates a new history and compares it with the auto-compact threshold (SES-8). */
export function estimateResult(
  messages: readonly Message[],
  view: ContextView,
  context: TierContext,
): ResultEstimate {
  const { params, plan } = context;
  const estimate = (margin: 'margin' | 'bare'): number =>
    Math.round(estimateMessages(messages, heuristicRules(params, margin)) * plan.estimatorFactor);
  const withMargin = estimate('margin');
  const seen = param.text(params, 'counter.newContent') === 'padded' ? withMargin : estimate('bare');
  let total = view.prefixTokens;
  for (const message of messages) total += messageTokens(message);
  const wouldFireAgain = autoCompactEnabled(params) && compactLimit(context).isMetBy(withMargin);
  return { seen, withMargin, true: total, wouldFireAgain };
}
