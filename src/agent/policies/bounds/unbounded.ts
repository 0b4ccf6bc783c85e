import type { Policy } from '../policy.js';

/** Upper bound: as `none`, but no prompt is too long. */
export const unbounded: Policy = {
  name: 'unbounded',
  kind: 'bound',
  summary: 'No context management and no limit: what the session would cost in an infinite window.',
  tiers: [],
  client: 'recorded',
  set: { 'window.bounded': false },
  sources: { '*': 'a bound: an infinite window' },
};
