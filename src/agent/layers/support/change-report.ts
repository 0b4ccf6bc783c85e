import type { Action, LayerReport } from '../../../core/run/action.js';
import type { ContextView } from '../../../core/run/layer.js';
import type { Layer } from '../../../core/run/run-log.js';

/** How large a conversation was before a layer changed it. */
export interface SizeBefore {
  readonly estimatedBefore: number;
  readonly trueBefore: number;
}

/** What a layer itself has to say of a change. */
export type ChangeSaid = Pick<LayerReport, 'layer' | 'action' | 'trigger' | 'reason' | 'saved' | 'details'>;

/** Records the size of a conversation that is about to change. */
export function sizeBefore({ seenTokens, trueTokens }: ContextView): SizeBefore {
  return { estimatedBefore: seenTokens, trueBefore: trueTokens };
}

/** What a layer says of a change that it has made to the conversation. */
export function changeReport(view: ContextView, before: SizeBefore, said: ChangeSaid): Action {
  const { seenTokens: estimatedAfter, trueTokens: trueAfter } = view;
  const { estimatedBefore, trueBefore } = before;
  const sizes = { estimatedBefore, estimatedAfter, trueBefore, trueAfter };
  return { kind: 'report', entry: { ...said, outcome: 'done', failure: null, ...sizes } };
}

/** What a layer says of work that leaves the conversation as it is. */
export function quietReport(
  layer: Layer,
  view: Pick<ContextView, 'seenTokens' | 'trueTokens'>,
  said: Pick<LayerReport, 'action' | 'outcome' | 'reason' | 'failure' | 'details'> &
    Partial<Pick<LayerReport, 'trigger'>>,
): Action {
  const { seenTokens, trueTokens } = view;
  const estimated = { estimatedBefore: seenTokens, estimatedAfter: seenTokens };
  const real = { trueBefore: trueTokens, trueAfter: trueTokens };
  return { kind: 'report', entry: { layer, trigger: 'auto', ...said, ...estimated, ...real, saved: 0 } };
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
