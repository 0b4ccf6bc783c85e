import type { Action, LayerReport } from '../../../core/run/action.js';
import type { ContextView } from '../../../core/run/layer.js';

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
  return {
    kind: 'report',
    entry: {
      layer: said.layer,
      action: said.action,
      trigger: said.trigger,
      outcome: 'done',
      reason: said.reason,
      failure: null,
      estimatedBefore: before.estimatedBefore,
      estimatedAfter: view.seenTokens,
      trueBefore: before.trueBefore,
      trueAfter: view.trueTokens,
      saved: said.saved,
      details: said.details,
    },
  };
}
