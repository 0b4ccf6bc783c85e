import type { Message } from '../../model/message.js';
import { type ConversationFacts, gatherFacts } from './facts.js';

/** The types of durable memories (AUT-2). */
export const MEMORY_TYPES = ['user', 'feedback', 'project', 'reference'] as const;
export type MemoryType = (typeof MEMORY_TYPES)[number];

interface Memory {
  readonly type: MemoryType;
  readonly subject: string;
  readonly description: string;
  readonly body: string;
}

const SLUG_CHARS = 40;
const DESCRIPTION_CHARS = 100;

/** What may be worth keeping, at most one of each type. */
function candidates(facts: ConversationFacts): readonly Memory[] {
  const found: Memory[] = [];
  const add = (type: MemoryType, subject: string | null, description: string, body: string): void => {
    if (subject !== null) found.push({ type, subject, description, body });
  };
  add('user', facts.firstRequest, 'what the user came for', `The user asked: ${facts.firstRequest}`);
  const second = facts.lastRequest === facts.firstRequest ? null : facts.lastRequest;
  add('feedback', second, 'how the user wants the work done', `The user said: ${facts.lastRequest}`);
  const file = facts.files[0]?.path ?? null;
  add('project', file, 'a file the work comes back to', `Work in this project often touches ${file}.`);
  const tool = facts.tools[0]?.tool ?? null;
  add('reference', tool, 'where answers were found', `Answers came from ${tool}.`);
  return found;
}

function slug(type: MemoryType, subject: string): string {
  const words = subject
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, SLUG_CHARS)
    .replace(/^-+|-+$/g, '');
  return words === '' ? type : `${type}-${words}`;
}

/**
 * Durable memories as markdown files with front matter, one after the other (AUT-2). What `existing` names is not
 * written again; nothing new gives an empty text.
 */
export function composeMemories(messages: readonly Message[], existing: readonly string[]): string {
  const known = existing.join('\n');
  return candidates(gatherFacts(messages))
    .map((memory) => ({ ...memory, name: slug(memory.type, memory.subject) }))
    .filter(({ name }) => !known.includes(name))
    .map(({ name, description, type, body }) => {
      const about = description.slice(0, DESCRIPTION_CHARS);
      return `---\nname: ${name}\ndescription: ${about}\ntype: ${type}\n---\n\n${body}\n`;
    })
    .join('\n');
}
