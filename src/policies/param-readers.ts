import { tierRegistry } from '../tiers/registry.js';
import type { Policy } from './policy.js';

/** Layers whose limits follow from the window. */
const AT_THE_WINDOW = ['auto-compact', 'blocking', 'microcompact-token', 'baseline-truncate'];
const COMPACTING = ['auto-compact', 'reactive'];
const SUMMARISING = [...COMPACTING, 'baseline-summarise'];
/** Layers that write or read an index of memories. */
const INDEXING = ['auto-memory', 'dreaming', 'agents'];

/**
 * Parameters that are read elsewhere than in the layer that declares them, by path or by the beginning of paths; the longest
 * that fits counts. Null: the client reads it, whatever its layers.
 */
const READ_ELSEWHERE: Readonly<Record<string, readonly string[] | null>> = {
  'window.models': AT_THE_WINDOW,
  'window.explicit': [...AT_THE_WINDOW, 'parts'],
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
  'restore.': COMPACTING,
  'thrash.chainTurns': [...SUMMARISING, 'baseline-truncate'],
  'nestedMemoryCache.enabled': ['auto-compact'],
  'autoMemory.enabled': ['auto-memory', 'dreaming'],
  'autoMemory.index': INDEXING,
  'autoMemory.lineChars': INDEXING,
  'agents.layout': null,
  'agents.warmFirst': null,
  'agents.mark': null,
  'agents.maxChildren': null,
};

const declaredBy = new Map(
  tierRegistry.all().flatMap((tier) => tier.params.map(({ path }) => [path, [tier.name]] as const)),
);

/** The layers that read a parameter; null where the client does, whatever its layers. */
export function layersOf(path: string): readonly string[] | null {
  const [key] = Object.keys(READ_ELSEWHERE)
    .filter((name) => path.startsWith(name))
    .sort((a, b) => b.length - a.length);
  if (key !== undefined) return READ_ELSEWHERE[key]!;
  return declaredBy.get(path) ?? null;
}

/** Whether a policy has a layer that reads a parameter (C39). */
export function isReadBy(policy: Policy, path: string): boolean {
  const layers = layersOf(path);
  return layers === null || layers.some((layer) => policy.tiers.includes(layer));
}
