import type { Files } from '../../base/files.js';
import { MEMORY_DIRECTORY, MEMORY_INDEX, type Memory, parseMemory } from '../../model/memory.js';
import { LINK_MARK } from './confine.js';

/** A memory as it lies in its directory. */
export interface StoredMemory extends Memory {
  readonly path: string;
  readonly mtimeMs: number;
  readonly chars: number;
}

/** What the memory directory holds. */
export interface MemoryStore {
  readonly memories: readonly StoredMemory[];
  /** Files that are no memories: broken front matter, binary content. They are left as they are. */
  readonly corrupt: readonly string[];
}

/** Paths of the memory files, in order; index, hidden files and links are none. */
export function memoryPaths(files: Files): readonly string[] {
  return files
    .list(MEMORY_DIRECTORY)
    .filter((path) => path !== MEMORY_INDEX && path.endsWith('.md') && !path.includes('/.'));
}

/** Reads the memory directory. */
export function readMemories(files: Files): MemoryStore {
  const memories: StoredMemory[] = [];
  const corrupt: string[] = [];
  for (const path of memoryPaths(files)) {
    const file = files.read(path)!;
    if (file.text.startsWith(LINK_MARK)) continue;
    const memory = parseMemory(file.text);
    if (memory === null) corrupt.push(path);
    else memories.push({ ...memory, path, mtimeMs: file.mtimeMs, chars: file.text.length });
  }
  return { memories, corrupt };
}
