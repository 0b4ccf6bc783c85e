import type { TierContext, TierDefinition, TierInstance } from '../../model/tier.js';
import { integerParam, param, switchParam } from '../param-reader.js';
import { clearOld } from './clear-old.js';
import { Observations } from './observations.js';

/** Masks all but the latest tool results (E3): every turn, or when a batch of old ones has piled up. */
export const maskTier: TierDefinition = {
  name: 'baseline-mask',
  layer: 'baseline',
  points: ['before-request'],
  needs: ['tools'],
  killSwitch: 'baselines.mask.enabled',
  params: [
    switchParam('baselines.mask.enabled', true, 'All but the latest tool results are masked.'),
    integerParam('baselines.mask.keepResults', 10, 'results', 'The latest results that stay (E3: 10).'),
    integerParam(
      'baselines.mask.batchResults',
      1,
      'results',
      'Older results are masked when so many have piled up; 1 masks every turn.',
      { min: 1 },
    ),
  ],
  create: (context) => createMask(context),
};

function createMask({ params }: TierContext): TierInstance {
  const keep = param.number(params, 'baselines.mask.keepResults');
  const batch = param.number(params, 'baselines.mask.batchResults');
  const results = new Observations();
  return {
    reset: () => results.reset(),
    resume: () => results.reset(),
    due(_moment, view) {
      results.sync(view);
      return results.count >= keep + batch;
    },
    *act(_moment, view) {
      const old = results.takeAllBut(keep, view);
      yield* clearOld('mask', `only the latest ${keep} tool results stay`, old, view);
    },
  };
}
