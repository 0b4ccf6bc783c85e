import { meaningOf, relate } from '../../../core/memory/meaning.js';
import { LOOK_CHARS, statementsIn } from '../../../core/memory/sentences.js';
import type { Block } from '../../../core/model/block.js';
import {
  type KnownMemories,
  MemoriesText,
  type MemoryText,
  type MemoryType,
  memoryContent,
  renderMemory,
} from '../../../core/model/memory.js';
import type { Message } from '../../../core/model/message.js';
import { textStart } from '../../../core/model/text.js';

/** A statement of the user as a memory. */
interface Candidate {
  readonly name: string;
  readonly sentence: string;
  readonly content: string | MemoryText;
}

/** Memories that one extraction writes at most (assumed). */
const MAX_WRITTEN = 8;
const SLUG_CHARS = 40;
const DESCRIPTION_CHARS = 100;

/** Names that lead out of the memory directory: by climbing, by an absolute path, through a link. */
const STRAY_NAMES = ['../../repo/src/index', '/etc/hosts', 'link/notes'];

/** What each prompt states, computed once: it is asked about again with every replay of a session. */
const STATED = new WeakMap<Block, readonly Candidate[]>();

function statedIn(block: Block): readonly Candidate[] {
  let stated = STATED.get(block);
  if (stated === undefined) {
    const text = block.text === null ? '' : textStart(block.text, LOOK_CHARS);
    stated = statementsIn(text).map(({ text: sentence, type }) => candidate(type, sentence));
    STATED.set(block, stated);
  }
  return stated;
}

function candidate(type: MemoryType, sentence: string): Candidate {
  const name = slug(type, sentence);
  const description = `${meaningOf(sentence).subject}: ${sentence}`.slice(0, DESCRIPTION_CHARS).trimEnd();
  return { name, sentence, content: memoryContent({ name, description, type, body: sentence }) };
}

/** A name for a sentence: its words in small letters, joined by hyphens. */
function slug(type: MemoryType, sentence: string): string {
  const words = sentence
    .toLowerCase()
    .slice(0, 2 * SLUG_CHARS)
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, SLUG_CHARS)
    .replace(/^-|-$/g, '');
  return words === '' ? type : `${type}-${words}`;
}

/**
 * Durable memories as markdown files with front matter, one after the other (AUT-2): what the user states as preference,
 * correction or fact, by the rules of docs/memory-rules.md. What is known is not written again; nothing new gives an empty text.
 */
export function composeMemories(messages: readonly Message[], known: KnownMemories): MemoriesText {
  const written: Candidate[] = [];
  for (const { origin, blocks } of messages) {
    if (origin !== 'human') continue;
    for (const block of blocks) {
      if (block.kind !== 'text' || block.facts.attachment !== undefined) continue;
      for (const stated of statedIn(block)) {
        if (written.length === MAX_WRITTEN || known.has(stated.name) || known.says(stated.sentence)) continue;
        if (!written.some((other) => isSame(other, stated))) written.push(stated);
      }
    }
  }
  return new MemoriesText(written.map(({ content }) => content));
}

function isSame(a: Candidate, b: Candidate): boolean {
  return a.name === b.name || relate(meaningOf(a.sentence), meaningOf(b.sentence)) === 'same';
}

/** Memories whose names lead out of the memory directory. */
export function strayMemories(): string {
  return STRAY_NAMES.map((name) =>
    renderMemory({ name, description: 'somewhere else', type: 'reference', body: 'This file is not here.' }),
  ).join('\n');
}
