import { createRegistry } from '../../core/base/registry.js';
import type { TierDefinition } from '../../core/run/tier.js';
import { agentsTier } from './agents/agents.js';
import { autoCompactTier } from './auto-compact/auto-compact.js';
import { autoMemoryTier } from './auto-memory/auto-memory.js';
import { blockingTier } from './blocking/blocking.js';
import { collapseTier } from './collapse/collapse.js';
import { dreamingTier } from './dreaming/dreaming.js';
import { apiNativeMicrocompactTier } from './microcompact/api-native.js';
import { cachedMicrocompactTier } from './microcompact/cached.js';
import { timeBasedMicrocompactTier } from './microcompact/time-based.js';
import { tokenMicrocompactTier } from './microcompact/token.js';
import { nestedMemoryTier } from './nested-memory/nested-memory.js';
import { reactiveTier } from './reactive/reactive.js';
import { partsTier } from './rules/parts.js';
import { sessionMemoryTier } from './session-memory/extract.js';
import { snipTier } from './snip/snip.js';
import { storageTier } from './storage/storage.js';

const TIERS: readonly TierDefinition[] = [
  storageTier,
  snipTier,
  tokenMicrocompactTier,
  timeBasedMicrocompactTier,
  cachedMicrocompactTier,
  apiNativeMicrocompactTier,
  collapseTier,
  nestedMemoryTier,
  autoCompactTier,
  blockingTier,
  reactiveTier,
  sessionMemoryTier,
  autoMemoryTier,
  dreamingTier,
  agentsTier,
  partsTier,
];

/** Every mechanism, by name; adding one is one folder and one line. */
export const tierRegistry = createRegistry<TierDefinition>(
  'tier',
  TIERS.map((tier) => [tier.name, tier] as const),
);
