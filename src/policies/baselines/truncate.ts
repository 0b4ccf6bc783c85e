import type { Policy } from '../policy.js';

/** The simplest thing that works: drop the oldest half when the window is full. */
export const truncate: Policy = {
  name: 'baselines/truncate',
  kind: 'baseline',
  summary: 'Drops the oldest half of the conversation when the window is full.',
  tiers: ['baseline-truncate'],
  client: 'recorded',
  set: { 'window.reserve': 'capped' },
  sources: {
    '*': 'a baseline: no client is meant',
    'baselines.truncate.share': 'half, as sliding-window fallbacks of other agents have it',
    'window.reserve': 'WIN-2: min(max output, 20,000)',
  },
};
