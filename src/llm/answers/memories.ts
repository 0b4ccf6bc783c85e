import { digestText } from '../../base/digest.js';
import type { Block } from '../../model/block.js';
import {
  type KnownNames,
  MemoriesText,
  type MemoryText,
  type MemoryType,
  memoryContent,
  renderMemory,
} from '../../model/memory.js';
import type { Message } from '../../model/message.js';
import { fileName, firstOf, firstOfTool, firstWithFile, lastOf, type Quote, toolName } from './facts.js';

/** A memory that may be worth keeping. */
interface Candidate {
  readonly name: string;
  readonly content: string | MemoryText;
}

/** The fake extractor finds nothing more worth keeping beyond this many memories (assumed; the index shows 200). */
const MAX_MEMORIES = 400;
const SLUG_CHARS = 40;
const DESCRIPTION_CHARS = 100;

/** What feedback may be about: a second word on the same topic repeats or contradicts the first. */
const TOPICS = ['tests', 'naming', 'commits', 'comments', 'reviews', 'errors', 'layout', 'types'];

/** Names that lead out of the memory directory: by climbing, by an absolute path, through a link. */
const STRAY_NAMES = ['../../repo/src/index', '/etc/hosts', 'link/notes'];

/** A candidate for each thing it may come from, made once: the same things come up again and again. */
class Candidates<Source extends object> {
  private readonly made = new WeakMap<Source, Candidate>();

  constructor(private readonly make: (source: Source) => Candidate) {}

  of(source: Source): Candidate {
    let candidate = this.made.get(source);
    if (candidate === undefined) {
      candidate = this.make(source);
      this.made.set(source, candidate);
    }
    return candidate;
  }
}

function candidate(type: MemoryType, subject: string, description: string, body: string): Candidate {
  const name = slug(type, subject);
  const content = memoryContent({ name, description: description.slice(0, DESCRIPTION_CHARS), type, body });
  return { name, content };
}

const GOALS = new Candidates<Quote>(({ line }) =>
  candidate('user', line, 'what the user came for', `The user asked: ${line}`),
);

const FEEDBACK = new Candidates<Quote>(({ line }) => {
  const digest = digestText(line);
  const topic = TOPICS[digest % TOPICS.length]!;
  const stance = Math.floor(digest / TOPICS.length) % 3 === 0 ? 'refuses' : 'wants';
  const body = `On ${topic} the user ${stance}: ${line} Noted today.`;
  return candidate('feedback', `${topic} ${line}`, `what the user says about ${topic}`, body);
});

const FILES = new Candidates<Block>(({ facts }) => {
  const file = fileName(facts.path ?? '');
  return candidate(
    'project',
    file,
    'a file the work comes back to',
    `Work in this project often touches ${file}.`,
  );
});

const TOOLS = new Candidates<Block>((block) => {
  const tool = toolName(block.tool);
  return candidate('reference', tool, 'where answers were found', `Answers came from ${tool}.`);
});

/** What may be worth keeping, at most one of each type; what summaries say is no news. */
function candidates(messages: readonly Message[]): readonly Candidate[] {
  const found: Candidate[] = [];
  const first = firstOf(messages, 'human');
  if (first !== null) found.push(GOALS.of(first));
  const last = lastOf(messages, 'human');
  if (last !== null && last.line !== first?.line) found.push(FEEDBACK.of(last));
  const file = firstWithFile(messages);
  if (file !== null) found.push(FILES.of(file));
  const tool = firstOfTool(messages);
  if (tool !== null) found.push(TOOLS.of(tool));
  return found;
}

/** A name for a subject: its words in small letters, joined by hyphens. */
function slug(type: MemoryType, subject: string): string {
  const text = subject.toLowerCase();
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
  for (const { name, content } of candidates(messages)) if (!existing.has(name)) written.push(content);
  return new MemoriesText(written);
}

/** Memories whose names lead out of the memory directory. */
export function strayMemories(): string {
  return STRAY_NAMES.map((name) =>
    renderMemory({ name, description: 'somewhere else', type: 'reference', body: 'This file is not here.' }),
  ).join('\n');
}
