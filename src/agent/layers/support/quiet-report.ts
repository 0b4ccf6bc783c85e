import type { Action, LayerReport } from '../../../core/run/action.js';
import type { ContextView } from '../../../core/run/layer.js';
import type { Layer } from '../../../core/run/run-log.js';

/** What a layer says of work that leaves the conversation as it is. */
export function quietReport(
  layer: Layer,
  view: Pick<ContextView, 'seenTokens' | 'trueTokens'>,
  said: Pick<LayerReport, 'action' | 'outcome' | 'reason' | 'failure' | 'details'> &
    Partial<Pick<LayerReport, 'trigger'>>,
): Action {
  const { seenTokens, trueTokens } = view;
  return {
    kind: 'report',
    entry: {
      layer,
      action: said.action,
      trigger: said.trigger ?? 'auto',
      outcome: said.outcome,
      reason: said.reason,
      failure: said.failure,
      estimatedBefore: seenTokens,
      estimatedAfter: seenTokens,
      trueBefore: trueTokens,
      trueAfter: trueTokens,
      saved: 0,
      details: said.details,
    },
  };
}

/** The same in short, for a layer that reports often. */
export function quietReporter(layer: Layer) {
  return (
    view: ContextView,
    action: string,
    outcome: LayerReport['outcome'],
    reason: string,
    details: LayerReport['details'],
    failure: string | null = null,
  ): Action => quietReport(layer, view, { action, outcome, reason, failure, details });
}
