import type { TierContext, TierDefinition, TierInstance } from '../../model/tier.js';
import { integerParam, param, switchParam } from '../param-reader.js';
import { clearOld } from './clear-old.js';
import { Observations } from './observations.js';

/**
 * Prunes tool results in batches (peers, E2): the newest P tokens are protected; each time M more have come in behind
 * them, everything older is cleared at once. Batches are counted on the running total, so their mean size is M whatever
 * the size of a single result. It looks after a response: what is protected has then been sent.
 */
export const pruneTier: TierDefinition = {
  name: 'baseline-prune',
  layer: 'baseline',
  points: ['after-response'],
  needs: ['tools'],
  killSwitch: 'baselines.prune.enabled',
  params: [
    switchParam('baselines.prune.enabled', true, 'Old tool results are cleared in batches.'),
    integerParam(
      'baselines.prune.protectTokens',
      40_000, // E2, opencode
      'tokens',
      'The newest tool results are never cleared, up to this size.',
    ),
    integerParam(
      'baselines.prune.batchTokens',
      20_000, // E2, opencode
      'tokens',
      'Older results are cleared each time this much has piled up.',
      { min: 1 },
    ),
  ],
  create: (context) => createPrune(context),
};

function createPrune({ params }: TierContext): TierInstance {
  const protect = param.number(params, 'baselines.prune.protectTokens');
  const batch = param.number(params, 'baselines.prune.batchTokens');
  const results = new Observations();
  let piled = -protect;
  const restart = (): void => {
    results.reset();
    piled = -protect;
  };
  return {
    reset: restart,
    resume: restart,
    due(_moment, view) {
      piled += results.sync(view);
      return piled >= batch;
    },
    *act(_moment, view) {
      piled %= batch;
      const old = results.takeAllBut(results.newestWithin(protect), view);
      yield* clearOld('prune', `${batch} tokens of tool results piled up behind ${protect}`, old, view);
    },
  };
}
