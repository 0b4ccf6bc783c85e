import type { Policy } from '../policy.js';

/** Mask all but the latest observations. */
export const mask: Policy = {
  name: 'baselines/mask',
  kind: 'baseline',
  summary: 'Masks all but the latest ten tool results, every turn.',
  tiers: ['baseline-mask'],
  client: 'recorded',
  set: {},
  sources: {
    '*': 'a baseline: no client is meant',
    'baselines.mask.keepResults': 'arXiv 2508.21433: 10',
    'baselines.mask.batchResults': 'arXiv 2508.21433: every turn',
  },
};
