import type { Policy } from '../policy.js';

/** Lower bound: nothing is ever stored, cleared or summarised; the window refuses what is too long. */
export const none: Policy = {
  name: 'none',
  kind: 'bound',
  summary: 'No context management: the conversation grows until the window refuses it.',
  tiers: [],
  client: 'recorded',
  set: {},
  sources: { '*': 'a bound: the request as it is' },
};
