import type { Message } from '../../model/message.js';
import type { ContextView, TierContext } from '../../model/tier.js';
import { param } from '../param-reader.js';
import { moveCutToWhole } from './kept-tail.js';
import { estimateResult } from './result-estimate.js';
import { boundaryMessage, type SummaryText, summaryMessage } from './summary-message.js';

/** A summary that was paid for once and may stand in again for what it covers (SES-10). */
export interface CachedSummary {
  readonly summary: SummaryText;
  /** Latest message the summary covers. */
  readonly boundaryId: string;
}

const SHARED_KEY = 'nested-memory-cache';

/** Keeps a summary for later in a thread's shared map, under the key `nested-memory-cache`. */
export function rememberSummary(shared: Map<string, unknown>, cached: CachedSummary): void {
  shared.set(SHARED_KEY, cached);
}

/**
 * Rebuilds the history from the cached summary (SES-10): boundary, summary, plan, newer messages; no model call. Null when it
 * is off, nothing is cached, the boundary is gone, or the result would be at or above the auto-compact threshold.
 */
export function rebuildFromCache(
  view: ContextView,
  context: TierContext,
  at: number,
  plan: readonly Message[],
): readonly Message[] | null {
  if (!param.isOn(context.params, 'nestedMemoryCache.enabled')) return null;
  const cached = context.shared.get(SHARED_KEY) as CachedSummary | undefined;
  if (cached === undefined) return null;
  const { messages } = view;
  const boundary = messages.findLastIndex((message) => message.id === cached.boundaryId);
  if (boundary === -1) return null;
  const result = [
    boundaryMessage(`cached-boundary-${cached.boundaryId}`, at),
    summaryMessage(`cached-summary-${cached.boundaryId}`, at, cached.summary),
    ...plan,
    ...messages.slice(moveCutToWhole(messages, boundary + 1)),
  ];
  return estimateResult(result, view, context).wouldFireAgain ? null : result;
}
