import { policyRegistry } from '../../../src/agent/policies/catalogue.js';

/** Peers that between them have every kind of rule: own, extending and background requests, clearing, pairs, idle times. */
export const SOME_PEERS = [
  'peers/kimi-code',
  'peers/copilot-vscode',
  'peers/gemini-cli',
  'peers/goose',
  'peers/openclaw',
  'peers/pi-cached-compaction',
];

/** Every policy that is no peer. */
export const OWN_POLICIES: readonly string[] = policyRegistry.names.filter(
  (name) => !name.startsWith('peers/'),
);

/** Every policy with layers of its own, and some of those that differ by the values of their file alone. */
export const VARIED_POLICIES: readonly string[] = [...OWN_POLICIES, ...SOME_PEERS];
