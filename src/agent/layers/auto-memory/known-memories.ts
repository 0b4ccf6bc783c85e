import type { StoredFile } from '../../../core/base/files.js';
import { meaningOf, relate } from '../../../core/memory/meaning.js';
import type { Block } from '../../../core/model/block.js';
import type { KnownMemories } from '../../../core/model/memory.js';
import type { Message } from '../../../core/model/message.js';
import { indexTextOf } from './index-text.js';
import { instructionBlocks, instructionsSay } from './instruction-files.js';
import { memoryLines } from './memory-lines.js';
import type { MemoryStore, StoredMemory } from './memory-store.js';

const LINK = /\]\(([^)]+)\.md\)/;
const NAMES = new WeakMap<StoredFile, ReadonlySet<string>>();

/** The memories that an index has a line for, by name. */
export function indexedNames(index: StoredFile | null): ReadonlySet<string> {
  if (index === null) return NOBODY;
  let names = NAMES.get(index);
  if (names === undefined) {
    const found = new Set<string>();
    const lines = indexTextOf(index);
    for (let i = 0; ; i++) {
      const line = lines.lineAt(i);
      if (line === null) break;
      const name = LINK.exec(line.text)?.[1];
      if (name !== undefined) found.add(name);
    }
    names = found;
    NAMES.set(index, names);
  }
  return names;
}

const NOBODY: ReadonlySet<string> = new Set();

/** True when one of the things a memory says is what a sentence says. */
function saysSame(memory: StoredMemory, sentence: string): boolean {
  const meaning = meaningOf(sentence);
  return memoryLines(memory).some((line) => relate(line.meaning, meaning) === 'same');
}

/**
 * What an extraction knows: the memories that the index names, which it reads first (AUT-4), and the instructions of the
 * project. A memory whose line has left the index may be written a second time.
 */
export function knownMemories(
  store: MemoryStore,
  index: StoredFile | null,
  messages: readonly Message[],
): KnownMemories {
  let instructions: readonly Block[] | null = null;
  return {
    has: (name) => store.memories.some((memory) => memory.name === name),
    says: (sentence) => {
      const shown = indexedNames(index);
      if (store.memories.some((memory) => shown.has(memory.name) && saysSame(memory, sentence))) return true;
      instructions ??= instructionBlocks(messages);
      return instructionsSay(instructions, sentence);
    },
  };
}
