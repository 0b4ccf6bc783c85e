import type { Policy } from '../policy.js';

/** Protect the newest tool results, clear the rest in batches. */
export const prune: Policy = {
  name: 'baselines/prune',
  kind: 'baseline',
  summary: 'Protects the newest tool results and clears the rest each time a batch has piled up.',
  tiers: ['baseline-prune'],
  client: 'recorded',
  set: {},
  sources: {
    '*': 'a baseline: no client is meant',
    'baselines.prune.protectTokens': 'opencode before 2026-04: 40,000',
    'baselines.prune.batchTokens': 'opencode before 2026-04: 20,000',
  },
};
