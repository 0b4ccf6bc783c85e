import type { Message } from '../../../core/model/message.js';
import type { Action, Asker, Outcome } from '../../../core/run/action.js';
import type { ContextView, HookContext, LayerContext } from '../../../core/run/layer.js';
import { workState } from '../restore/work-state.js';
import { contextBefore, reportCompaction } from '../support/compaction-report.js';
import { boundaryMessage, decline, estimateResult } from './compact.js';

/** A summary that was paid for once and may stand in again for what it covers (SES-10). */
interface CachedSummary {
  /** The marker behind which what it covers begins again. */
  readonly boundaryId: string;
  readonly summary: Message;
  readonly plan: readonly Message[];
  /** Ids of what the compaction put back besides. */
  readonly putBack: ReadonlySet<string>;
}

const BY: Asker = { layer: 'session-memory', reason: 'the summary of the last compaction stands in again' };
const SHARED_KEY = 'nested-memory-cache';

/** Keeps the summary of a full compaction: the history it left, and the ids of the messages that were there before it. */
export function rememberSummary(
  { shared }: Pick<LayerContext, 'shared'>,
  before: ReadonlySet<string>,
  after: readonly Message[],
): void {
  const boundary = after.find(({ origin }) => origin === 'boundary');
  const summary = after.find(({ id, origin }) => origin === 'summary' && !before.has(id));
  if (boundary === undefined || summary === undefined) return;
  const made = after.filter((message) => message.origin === 'attachment' && !before.has(message.id));
  const cached: CachedSummary = {
    boundaryId: boundary.id,
    summary,
    plan: made.filter(isPlan),
    putBack: new Set(made.filter((message) => !isPlan(message)).map(({ id }) => id)),
  };
  shared.set(SHARED_KEY, cached);
}

function isPlan({ blocks }: Message): boolean {
  return blocks.some(({ facts }) => facts.attachment === 'plan' || facts.path === 'plan');
}

/**
 * Rebuilds the history from the cached summary (SES-10): boundary, summary, plan, newer messages; no model call. What the last
 * compaction put back goes, so that it helps once. Declined leaves the conversation as it was.
 */
export function* compactFromCache(
  moment: HookContext,
  view: ContextView,
  context: LayerContext,
  tracking: Readonly<Record<string, unknown>>,
): Generator<Action, 'done' | 'declined', Outcome> {
  const cached = context.shared.get(SHARED_KEY) as CachedSummary | undefined;
  if (cached === undefined) return 'declined';
  context.shared.delete(SHARED_KEY);
  const { messages } = view;
  const boundary = messages.findIndex(({ id }) => id === cached.boundaryId);
  if (boundary === -1) return yield* decline('auto', view, 'boundary-gone', { form: 'cached-summary' });
  const standing = new Set([cached.summary.id, ...cached.plan.map(({ id }) => id)]);
  const newer = messages
    .slice(boundary + 1)
    .filter(({ id, origin }) => origin !== 'context' && !standing.has(id) && !cached.putBack.has(id));
  const result = [
    boundaryMessage(`cached-boundary-${moment.turn}`, moment.now),
    ...messages.filter(({ origin }) => origin === 'context'), // FLT-5
    cached.summary,
    ...cached.plan,
    ...newer,
  ];
  const estimate = estimateResult(result, view, context);
  const details = {
    form: 'cached-summary',
    keptMessages: newer.length,
    droppedMessages: cached.putBack.size,
    resultTokens: estimate.seen,
    resultWithMargin: estimate.withMargin,
  };
  if (estimate.wouldFireAgain) return yield* decline('auto', view, 'result-too-large', details);
  const before = contextBefore(view);
  yield { kind: 'replace-history', by: BY, messages: result };
  yield { kind: 'cleanup', by: BY };
  yield* reportCompaction(
    {
      layer: 'session-memory',
      action: 'compact',
      trigger: 'auto',
      reason: BY.reason,
      before,
      tracking,
      history: {
        summarised: messages.slice(0, boundary),
        before: [],
        after: newer,
        summaryId: cached.summary.id,
      },
      restored: null,
      discoveredTools: workState(context).discoveredTools,
      details,
    },
    context,
    view,
  );
  return 'done';
}
