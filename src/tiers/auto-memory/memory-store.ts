import type { Files, StoredFile } from '../../base/files.js';
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
function memoryPaths(files: Files): readonly string[] {
  return files
    .list(MEMORY_DIRECTORY)
    .filter((path) => path !== MEMORY_INDEX && path.endsWith('.md') && !path.includes('/.'));
}

/** What a file holds, once for each writing of it. */
const parsed = new WeakMap<StoredFile, StoredMemory | 'corrupt' | 'link'>();

function memoryOf(file: StoredFile): StoredMemory | 'corrupt' | 'link' {
  let found = parsed.get(file);
  if (found === undefined) {
    const { text, path, mtimeMs } = file;
    const memory = text.startsWith(LINK_MARK) ? null : parseMemory(text);
    if (memory !== null) found = { ...memory, path, mtimeMs, chars: text.length };
    else found = text.startsWith(LINK_MARK) ? 'link' : 'corrupt';
    parsed.set(file, found);
  }
  return found;
}

/** Reads the memory directory. */
export function readMemories(files: Files): MemoryStore {
  const memories: StoredMemory[] = [];
  const corrupt: string[] = [];
  for (const path of memoryPaths(files)) {
    const found = memoryOf(files.read(path)!);
    if (found === 'corrupt') corrupt.push(path);
    else if (found !== 'link') memories.push(found);
  }
  return { memories, corrupt };
}
