import type { TierContext, TierDefinition, TierInstance } from '../../model/tier.js';
import { compactionHistory } from '../auto-compact/history.js';
import { compactFully } from '../full-compact/compact.js';
import { integerParam, param, switchParam } from '../param-reader.js';

/** Reactive compaction: a main request refused as too long is held back, compacted and tried again (REA-1). */
export const reactiveTier: TierDefinition = {
  name: 'reactive',
  layer: 'reactive',
  points: ['refused'],
  needs: [],
  params: [
    switchParam(
      'reactive.enabled',
      true,
      'Whether a prompt refused as too long is compacted and tried again (REA-1).',
    ),
    integerParam('reactive.maxPerTurn', 1, 'attempts', 'How often that may happen in one turn (REA-1).', {
      min: 1,
    }),
  ],
  killSwitch: 'reactive.enabled',
  create: (context) => createReactive(context),
};

function createReactive(context: TierContext): TierInstance {
  const history = compactionHistory(context.shared);
  const max = param.number(context.params, 'reactive.maxPerTurn');
  let turn = -1;
  let attempts = 0;
  return {
    due(moment) {
      if (moment.turn !== turn) {
        turn = moment.turn;
        attempts = 0;
      }
      return attempts < max && param.isOn(context.params, 'compact.enabled');
    },
    *act(moment, view) {
      attempts++;
      const done = yield* compactFully(moment, view, context, {
        layer: 'reactive',
        trigger: 'reactive',
        reason: 'the request was refused as too long',
        tracking: history.track(moment, view.seenTokens, null, context.params),
      });
      if (done) history.succeeded(moment.turn);
    },
  };
}
