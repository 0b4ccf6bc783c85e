import { digestText } from '../../base/digest.js';
import {
  type KnownNames,
  MEMORY_TYPES,
  MemoriesText,
  type Memory,
  type MemoryText,
  type MemoryType,
  memoryContent,
  renderMemory,
} from '../../model/memory.js';
import type { Message } from '../../model/message.js';
import { firstFile, firstOf, firstTool, lastOf } from './facts.js';

export { MEMORY_TYPES };

interface Candidate extends Omit<Memory, 'name'> {
  readonly subject: string;
}

/** The fake extractor finds nothing more worth keeping beyond this many memories (assumed; the index shows 200). */
const MAX_MEMORIES = 400;
const SLUG_CHARS = 40;
/** Characters looked at for a name. */
const SLUG_LOOK_CHARS = 3 * SLUG_CHARS;
const DESCRIPTION_CHARS = 100;

/** What feedback may be about: a second word on the same topic repeats or contradicts the first. */
const TOPICS = ['tests', 'naming', 'commits', 'comments', 'reviews', 'errors', 'layout', 'types'];

/** Names that lead out of the memory directory: by climbing, by an absolute path, through a link. */
const STRAY_NAMES = ['../../repo/src/index', '/etc/hosts', 'link/notes'];

/** What may be worth keeping, at most one of each type; what summaries say is no news. */
function candidates(messages: readonly Message[]): readonly Candidate[] {
  const found: Candidate[] = [];
  const add = (type: MemoryType, subject: string | null, description: string, body: string): void => {
    if (subject !== null) found.push({ type, subject, description, body });
  };
  const first = firstOf(messages, 'human');
  add('user', first, 'what the user came for', `The user asked: ${first}`);
  const last = lastOf(messages, 'human');
  const second = last === first ? null : last;
  const digest = digestText(second ?? '');
  const topic = TOPICS[digest % TOPICS.length]!;
  const stance = Math.floor(digest / TOPICS.length) % 3 === 0 ? 'refuses' : 'wants';
  add(
    'feedback',
    second === null ? null : `${topic} ${second}`,
    `what the user says about ${topic}`,
    `On ${topic} the user ${stance}: ${second} Noted today.`,
  );
  const file = firstFile(messages);
  add('project', file, 'a file the work comes back to', `Work in this project often touches ${file}.`);
  const tool = firstTool(messages);
  add('reference', tool, 'where answers were found', `Answers came from ${tool}.`);
  return found;
}

/** A name for a subject: its words in small letters, joined by hyphens. */
function slug(type: MemoryType, subject: string): string {
  const text = subject.slice(0, SLUG_LOOK_CHARS).toLowerCase();
  let name: string = type;
  let left = SLUG_CHARS;
  let from = 0;
  while (from < text.length && left > 0) {
    let to = from;
    while (to < text.length && isWordChar(text.charCodeAt(to))) to++;
    if (to > from) {
      const word = text.slice(from, Math.min(to, from + left));
      name += `-${word}`;
      left -= word.length;
    }
    // One of the characters goes for the hyphen in front of the next word.
    if (to < text.length) left--;
    from = to;
    while (from < text.length && !isWordChar(text.charCodeAt(from))) from++;
  }
  return name;
}

function isWordChar(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57);
}

/**
 * Durable memories as markdown files with front matter, one after the other (AUT-2). What `existing` names is not
 * written again; nothing new gives an empty text.
 */
export function composeMemories(messages: readonly Message[], existing: KnownNames): MemoriesText {
  if (existing.size >= MAX_MEMORIES) return new MemoriesText([]);
  const written: (string | MemoryText)[] = [];
  for (const { type, subject, description, body } of candidates(messages)) {
    const name = slug(type, subject);
    if (existing.has(name)) continue;
    written.push(memoryContent({ name, description: description.slice(0, DESCRIPTION_CHARS), type, body }));
  }
  return new MemoriesText(written);
}

/** Memories whose names lead out of the memory directory. */
export function strayMemories(): string {
  return STRAY_NAMES.map((name) =>
    renderMemory({ name, description: 'somewhere else', type: 'reference', body: 'This file is not here.' }),
  ).join('\n');
}
