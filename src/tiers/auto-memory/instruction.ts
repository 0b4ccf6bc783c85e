import { MEMORY_TYPES } from '../../model/memory.js';
import type { StoredMemory } from './memory-store.js';

/** Memories that the instruction lists by name; the rest is in the index (assumed). */
const LISTED = 40;

/** What the fork is told (AUT-1, AUT-2, AUT-4): what to keep, what not, where, and in how many turns. */
export function extractionText(memories: readonly StoredMemory[], directory: string): string {
  const listed = memories.slice(-LISTED).map(({ name, description }) => `- ${name}: ${description}`);
  return [
    'This request comes from the client, not from the user, and is no part of the conversation above.',
    `Look through what was said since the last time and keep what will matter in later sessions, as files in ${directory}.`,
    `Each file is markdown with a name, a description and a type (${MEMORY_TYPES.join(', ')}) in its front matter.`,
    'Leave out what the code, its history or the instructions of the project already tell, errors that have been dealt with,',
    'and what only mattered in passing. Nothing outside the directory may be written.',
    'Take two turns: in the first read everything you need at once, in the second write everything at once.',
    `${memories.length} memories are there:`,
    ...listed,
    '',
  ].join('\n');
}
