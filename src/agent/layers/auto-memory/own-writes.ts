import type { Files } from '../../../core/base/files.js';
import type { Block } from '../../../core/model/block.js';
import {
  MEMORY_DIRECTORY,
  MEMORY_INDEX,
  type Memory,
  memoryContent,
  parseMemory,
} from '../../../core/model/memory.js';
import type { Action, Asker, Outcome } from '../../../core/run/action.js';
import { indexedNames } from './known-memories.js';
import { IndexText, indexLineOf, indexTextOf } from './memory-index.js';
import { confine } from './memory-store.js';

/** A write of the main agent to the memory directory. */
export interface OwnWrite {
  /** Path below the directory. */
  readonly name: string;
  readonly block: Block;
}

/** Characters of a memory that the main agent wrote which are kept (assumed). */
const BODY_CHARS = 4_000;

/** What the main agent wrote is on disk: its memories as far as their words are known, with lines in the index if it wrote that too. */
export function* keepOwnWrites(
  writes: readonly OwnWrite[],
  files: Files,
  lineChars: number,
  by: Asker,
): Generator<Action, number, Outcome> {
  const latest = new Map(writes.map(({ name, block }) => [name, block]));
  const indexFile = files.read(MEMORY_INDEX);
  const indexed = indexedNames(indexFile);
  let index = indexFile === null ? IndexText.EMPTY : indexTextOf(indexFile);
  let added = 0;
  for (const [file, block] of latest) {
    const name = file.replace(/\.md$/, '');
    const target = confine(files, MEMORY_DIRECTORY, `${name}.md`);
    if (target.kind === 'refused' || target.path === MEMORY_INDEX) continue;
    const memory = memoryIn(name, block);
    yield { kind: 'write-file', by, path: target.path, text: memoryContent(memory) };
    if (indexed.has(name)) continue;
    index = index.with(indexLineOf(memory, lineChars));
    added++;
  }
  const wroteIndex = latest.has(MEMORY_INDEX.slice(MEMORY_DIRECTORY.length + 1));
  if (wroteIndex && added > 0) yield { kind: 'write-file', by, path: MEMORY_INDEX, text: index };
  return latest.size;
}

/** The memory that a call wrote. */
function memoryIn(name: string, block: Block): Memory {
  const words = wordsOf(block)?.slice(0, BODY_CHARS) ?? null;
  const parsed = words === null ? null : parseMemory(words);
  if (parsed !== null) {
    const { description, type, body } = parsed;
    return { name, description, type, body };
  }
  const body = words?.trim() || 'The main agent wrote this file in the course of its work.';
  return { name, description: 'written by the main agent', type: 'project', body };
}

/** What a call puts into the file; null when that is not known. */
function wordsOf({ text }: Block): string | null {
  const input = text?.read() ?? '';
  const from = input.indexOf('{');
  if (from === -1) return null;
  try {
    const { content, new_string } = JSON.parse(input.slice(from)) as Record<string, unknown>;
    const words = content ?? new_string;
    return typeof words === 'string' ? words : null;
  } catch {
    return null;
  }
}
