import { tierRegistry } from '../tiers/registry.js';
import type { Policy } from './policy.js';

/** Layers whose limits follow from the window. */
const AT_THE_WINDOW = ['auto-compact', 'blocking', 'microcompact-token', 'baseline-truncate'];
/** Layers that go by a window the user sets. */
const BY_WINDOW = [...AT_THE_WINDOW, 'parts'];
const COMPACTING = ['auto-compact', 'reactive'];
const SUMMARISING = [...COMPACTING, 'baseline-summarise'];
/** Layers that write or read an index of memories. */
const INDEXING = ['auto-memory', 'dreaming', 'agents'];

/**
 * Parameters that are read elsewhere than in the layer that declares them, by path or by the beginning of paths; the longest
 * that fits counts. Null: the client reads it, whatever its layers.
 */
const READ_ELSEWHERE: Readonly<Record<string, readonly string[] | null>> = {
  'window.models': BY_WINDOW,
  'window.explicit': BY_WINDOW,
  'window.reserve': AT_THE_WINDOW,
  'window.maxOutput': AT_THE_WINDOW,
  'window.compactOffset': ['auto-compact', 'microcompact-token'],
  'window.warningOffset': ['auto-compact', 'microcompact-token'],
  'window.errorOffset': ['auto-compact'],
  'window.blockingOffset': ['blocking'],
  'compact.': SUMMARISING,
  'compact.enabled': COMPACTING,
  'compact.keepLastRounds': COMPACTING,
  'compact.scratchpad': COMPACTING,
  'compact.autonomous': COMPACTING,
  'restore.': [...COMPACTING, 'parts'],
  'compact.quoteTokens': [...SUMMARISING, 'parts'],
  'thrash.chainTurns': [...SUMMARISING, 'baseline-truncate', 'parts'],
  'nestedMemoryCache.enabled': ['auto-compact'],
  'autoMemory.enabled': ['auto-memory', 'dreaming'],
  'autoMemory.index': INDEXING,
  'autoMemory.lineChars': INDEXING,
  'agents.layout': null,
  'agents.warmFirst': null,
  'agents.mark': null,
  'agents.maxChildren': null,
};

/** The tier that declares a parameter, among those of plug-ins too; null where the client does. */
function declarerOf(path: string): readonly string[] | null {
  const tier = tierRegistry.all().find(({ params }) => params.some((spec) => spec.path === path));
  return tier === undefined ? null : [tier.name];
}

/** The layers that read a parameter; null where the client does, whatever its layers. */
export function layersOf(path: string): readonly string[] | null {
  const [key] = Object.keys(READ_ELSEWHERE)
    .filter((name) => path.startsWith(name))
    .sort((a, b) => b.length - a.length);
  if (key !== undefined) return READ_ELSEWHERE[key]!;
  return declarerOf(path);
}

/** Whether a policy has a layer that reads a parameter (C39). */
export function isReadBy(policy: Policy, path: string): boolean {
  const layers = layersOf(path);
  return layers === null || layers.some((layer) => policy.tiers.includes(layer));
}
