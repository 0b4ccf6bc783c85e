import { getOrMake } from '../../core/base/once.js';
import { ownValue } from '../../core/base/own-value.js';
import { layerRegistry } from '../layers/registry.js';
import { policyValues, type WrittenPolicy } from '../policy-file/paths.js';
import type { Policy } from './policy.js';

/** Layers whose limits follow from the window. */
const AT_THE_WINDOW = ['auto-compact', 'blocking', 'microcompact-token'];
const COMPACTING = ['auto-compact', 'reactive'];
const SUMMARISING = [...COMPACTING, 'rules'];
/** Layers that write or read an index of memories. */
const INDEXING = ['auto-memory', 'dreaming', 'agents'];

/**
 * Parameters that are read elsewhere than in the layer that declares them, by path or by the beginning of paths; the longest
 * that fits counts. Null: the client reads it, whatever its layers.
 */
const READ_ELSEWHERE: Readonly<Record<string, readonly string[] | null>> = {
  'window.models': AT_THE_WINDOW,
  'window.explicit': [...AT_THE_WINDOW, 'rules'],
  'window.setting': AT_THE_WINDOW, // and all that begin so
  'window.reserve': AT_THE_WINDOW,
  'window.maxOutput': AT_THE_WINDOW,
  'window.compactOffset': ['auto-compact', 'microcompact-token'],
  'window.warningOffset': ['auto-compact', 'microcompact-token'],
  'window.errorOffset': ['auto-compact'],
  'window.blockingOffset': ['blocking'],
  'compact.': COMPACTING,
  'compact.enabled': COMPACTING,
  'compact.keepLastRounds': COMPACTING,
  'compact.keepNoneWithin': COMPACTING,
  'compact.scratchpad': COMPACTING,
  'compact.autonomous': COMPACTING,
  'restore.': SUMMARISING,
  'autoCompact.countsCleared': ['microcompact-token'],
  'compact.quoteTokens': SUMMARISING,
  'nestedMemoryCache.enabled': ['auto-compact'],
  'autoMemory.enabled': ['auto-memory', 'dreaming'],
  'autoMemory.index': INDEXING,
  'autoMemory.lineChars': INDEXING,
  'agents.layout': null,
  'agents.warmFirst': null,
  'agents.mark': null,
  'agents.maxChildren': null,
};

/** The layer that declares a parameter, among those of plug-ins too; null if the client does. */
function declarerOf(path: string): readonly string[] | null {
  const layer = layerRegistry.all().find(({ params }) => params.some((spec) => spec.path === path));
  return layer === undefined ? null : [layer.name];
}

/** The entry of the table above that is about a parameter, found once for each. */
const ENTRIES = new Map<string, string | null>();

function entryOf(path: string): string | null {
  return getOrMake(ENTRIES, path, () => {
    const [longest] = Object.keys(READ_ELSEWHERE)
      .filter((name) => path.startsWith(name))
      .sort((a, b) => b.length - a.length);
    return longest ?? null;
  });
}

/** The layers that read a parameter; null if the client does, whatever its layers. */
export function layersOf(path: string): readonly string[] | null {
  const entry = entryOf(path);
  return entry === null ? declarerOf(path) : ownValue(READ_ELSEWHERE, entry)!;
}

/** Whether a policy has a layer that reads a parameter (C39). */
export function isReadBy(policy: Policy, path: string): boolean {
  if (policy.written !== undefined && path.startsWith('counter.')) return false; // Its `count` says how.
  const layers = layersOf(path);
  return (
    layers === null || layers.some((layer) => policy.layers.includes(layer) && isUsed(policy, layer, path))
  );
}

/** Whether the rules of a policy use what a parameter is about. */
function isUsed({ written }: Policy, layer: string, path: string): boolean {
  if (layer !== 'rules' || written === undefined) return true;
  const values = policyValues(written);
  if (path.startsWith('restore.')) return hasPiece(written, ['files', 'todos']);
  if (path === 'window.explicit') return values.some(({ value }) => BY_SIZE.test(String(value)));
  return path !== 'compact.quoteTokens' || values.some((value) => value.path.includes('.ask.'));
}

/** An amount that depends on the window or on the longest answer. */
const BY_SIZE = /(?<![A-Za-z])[WOIB](?![A-Za-z])/;

/** Whether the layout of a rule has one of some pieces. */
function hasPiece(written: WrittenPolicy, pieces: readonly string[]): boolean {
  return policyValues(written).some(
    ({ path, value }) =>
      (path.includes('.layout.') && pieces.includes(String(value))) || path.includes('.keep.recent-files.'),
  );
}
