import { byteLength } from '../auto-memory/index-text.js';
import { type IndexLimits, indexLine } from '../auto-memory/memory-index.js';
import type { StoredMemory } from '../auto-memory/memory-store.js';

/**
 * The memories that get a line in the index: the newest, as far as its limits go, in the order of their paths (DRM-3, AUT-3).
 * The files of the others stay (C33).
 */
export function indexedMemories(
  memories: readonly StoredMemory[],
  limits: IndexLimits,
): readonly StoredMemory[] {
  const newestFirst = [...memories].sort((a, b) => b.mtimeMs - a.mtimeMs || (a.path < b.path ? -1 : 1));
  const kept = new Set<StoredMemory>();
  let bytes = 0;
  for (const memory of newestFirst) {
    const size = byteLength(indexLine(memory, limits.lineChars)) + 1;
    if (kept.size >= limits.lines || bytes + size > limits.bytes) break;
    bytes += size;
    kept.add(memory);
  }
  return memories.filter((memory) => kept.has(memory));
}
