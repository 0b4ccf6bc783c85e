import type { Files, StoredFile } from '../../../core/base/files.js';
import { oncePer } from '../../../core/base/once.js';
import {
  contentWords,
  type Meaning,
  meaningOf,
  overlap,
  relate,
  wordsIn,
} from '../../../core/memory/meaning.js';
import { pollutionOf } from '../../../core/memory/sentences.js';
import type { Block } from '../../../core/model/block.js';
import {
  type KnownMemories,
  MEMORY_DIRECTORY,
  MEMORY_INDEX,
  type Memory,
  memoryContent,
  parseMemory,
} from '../../../core/model/memory.js';
import type { Message } from '../../../core/model/message.js';
import type { Action, Asker, Outcome } from '../../../core/run/action.js';
import { IndexText, indexLineOf, indexTextOf } from './memory-index.js';
import { confine, type MemoryStore, type StoredMemory } from './memory-store.js';

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

/** Attachments that hold a project's instructions. */
const ATTACHED = new Set(['memory', 'nested_memory']);
const FILE = /(?:^|[\\/])(?:CLAUDE(?:\.local)?|AGENTS|GEMINI)\.md$/;

/** Characters of an instruction file that are looked at (assumed). */
const LOOK_CHARS = 40_000;

/** Share of a sentence's words that one line of the instructions holds when it says as much (assumed). */
const SAID_SHARE = 0.8;

const linesIn = oncePer((block: Block): readonly ReadonlySet<string>[] => {
  const text = block.text?.read().slice(0, LOOK_CHARS) ?? '';
  return text.split('\n').map((line) => new Set(contentWords(line)));
});

function isInstruction({ kind, facts }: Block): boolean {
  if (kind === 'text' && facts.attachment !== undefined && ATTACHED.has(facts.attachment)) return true;
  return kind === 'tool_result' && facts.path !== undefined && FILE.test(facts.path);
}

/** Blocks of a conversation that hold instructions. @internal */
export function instructionBlocks(messages: readonly Message[]): readonly Block[] {
  const found: Block[] = [];
  for (const { blocks } of messages) for (const block of blocks) if (isInstruction(block)) found.push(block);
  return found;
}

/** Whether instruction files say as much as a sentence does (AUT-2). @internal */
export function instructionsSay(instructions: readonly Block[], sentence: string): boolean {
  if (instructions.length === 0) return false;
  const words = wordsIn(sentence);
  if (words.size === 0) return false;
  return instructions.some((block) => linesIn(block).some((line) => holds(line, words)));
}

function holds(line: ReadonlySet<string>, words: ReadonlySet<string>): boolean {
  return line.size >= words.size * SAID_SHARE && overlap(words, line) >= SAID_SHARE;
}

/** One thing that a memory says. */
export interface MemoryLine {
  readonly text: string;
  readonly meaning: Meaning;
}

/** What a memory says, line by line. */
export const memoryLines = oncePer((memory: Memory): readonly MemoryLine[] =>
  memory.body
    .split('\n')
    .filter((text) => text.trim() !== '')
    .map((text) => ({ text, meaning: meaningOf(text) })),
);

const LINK = /\]\(([^)]+)\.md\)/;
const NOBODY: ReadonlySet<string> = new Set();

/** The memories that an index has a line for, by name. @internal */
export function indexedNames(index: StoredFile | null): ReadonlySet<string> {
  return index === null ? NOBODY : namesIn(index);
}

const namesIn = oncePer((index: StoredFile): ReadonlySet<string> => {
  const found = new Set<string>();
  const lines = indexTextOf(index);
  for (let i = 0; ; i++) {
    const line = lines.lineAt(i);
    if (line === null) return found;
    const name = LINK.exec(line.text)?.[1];
    if (name !== undefined) found.add(name);
  }
});

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

/** How good the memories of a directory are (C33). */
interface MemoryQuality {
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
          if (relation === 'contradicts')
            contradicted.add(other.memory.mtimeMs < memory.mtimeMs ? other.memory : memory);
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
