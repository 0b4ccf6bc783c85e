import type { StoredFile } from '../../../core/base/files.js';
import { relate } from '../../../core/memory/meaning.js';
import { pollutionOf } from '../../../core/memory/pollution.js';
import type { Message } from '../../../core/model/message.js';
import {
  indexedNames,
  instructionBlocks,
  instructionsSay,
  type MemoryLine,
  memoryLines,
} from './known-memories.js';
import type { MemoryStore, StoredMemory } from './memory-store.js';

/** How good the memories of a directory are (C33). */
export interface MemoryQuality {
  /** Memories that are there. */
  readonly kept: number;
  /** Those that say what another one says. */
  readonly duplicate: number;
  /** Those that another one contradicts. */
  readonly contradicted: number;
  /** Those that hold what must not be kept, by a list that is independent of the rules for keeping (C49). */
  readonly polluted: number;
  /** Those without a line in the index. */
  readonly offIndex: number;
}

/** Looks through all memories once; only those about one subject are compared. */
export function memoryQuality(
  { memories }: MemoryStore,
  index: StoredFile | null,
  messages: readonly Message[],
): MemoryQuality {
  const shown = indexedNames(index);
  const instructions = instructionBlocks(messages);
  const bySubject = new Map<string, { readonly memory: StoredMemory; readonly line: MemoryLine }[]>();
  const duplicate = new Set<StoredMemory>();
  const contradicted = new Set<StoredMemory>();
  let polluted = 0;
  let offIndex = 0;
  for (const memory of memories) {
    if (!shown.has(memory.name)) offIndex++;
    const lines = memoryLines(memory);
    if (lines.some(({ text }) => pollutionOf(text) !== null || instructionsSay(instructions, text)))
      polluted++;
    for (const line of lines) {
      const others = bySubject.get(line.meaning.subject);
      if (others === undefined) bySubject.set(line.meaning.subject, [{ memory, line }]);
      else {
        for (const other of others) {
          if (other.memory === memory) continue;
          const relation = relate(other.line.meaning, line.meaning);
          if (relation === 'same') duplicate.add(memory);
          if (relation === 'contradicts') contradicted.add(older(other.memory, memory));
        }
        others.push({ memory, line });
      }
    }
  }
  return {
    kept: memories.length,
    duplicate: duplicate.size,
    contradicted: contradicted.size,
    polluted,
    offIndex,
  };
}

function older(a: StoredMemory, b: StoredMemory): StoredMemory {
  return a.mtimeMs < b.mtimeMs ? a : b;
}
