import type { Policy } from '../policy.js';

/** Summarise old turns in groups, keep the latest. */
export const summarise: Policy = {
  name: 'baselines/summarise',
  kind: 'baseline',
  summary: 'Summarises 21 old turns at a time and keeps the latest ten.',
  tiers: ['baseline-summarise'],
  client: 'recorded',
  set: { 'compact.summariser': 'own', 'compact.ownToolTokens': 0 },
  sources: {
    '*': 'a baseline: no client is meant',
    'baselines.summarise.everyTurns': 'arXiv 2508.21433: 21',
    'baselines.summarise.keepTurns': 'arXiv 2508.21433: 10',
    'compact.summariser': 'a request of its own, without tools',
  },
};
