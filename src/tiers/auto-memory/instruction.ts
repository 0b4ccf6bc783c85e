import { chainDigest, type Digest, digestText } from '../../base/digest.js';
import { MEMORY_DIRECTORY, MEMORY_TYPES } from '../../model/memory.js';
import { lazyText, type Text } from '../../model/text.js';
import type { StoredMemory } from './memory-store.js';

/** Memories that the instruction lists by name; the rest is in the index (assumed). */
const LISTED = 40;

/** What the fork is told (AUT-1, AUT-2, AUT-4): what to keep, what not, where, and in how many turns. Built when read. */
export function extractionText(memories: readonly StoredMemory[]): {
  readonly text: Text;
  readonly digest: Digest;
} {
  const count = `${memories.length} memories are there:\n`;
  const listed = memories.slice(-LISTED);
  let chars = OPENING.length + count.length;
  let digest = digestText(count, OPENING_DIGEST);
  for (const { line } of listed) {
    chars += line.text.length + 1;
    digest = chainDigest(digest, line.digest);
  }
  const build = (): string => OPENING + count + listed.map(({ line }) => `${line.text}\n`).join('');
  return { text: lazyText(chars, build), digest };
}

const OPENING = [
  'This request comes from the client, not from the user, and is no part of the conversation above.',
  `Look through what was said since the last time and keep what will matter in later sessions, as files in ${MEMORY_DIRECTORY}.`,
  `Each file is markdown with a name, a description and a type (${MEMORY_TYPES.join(', ')}) in its front matter.`,
  'Leave out what the code, its history or the instructions of the project already tell, errors that have been dealt with,',
  'and what only mattered in passing. Nothing outside the directory may be written.',
  'Take two turns: in the first read everything you need at once, in the second write everything at once.',
  '',
].join('\n');

const OPENING_DIGEST = digestText(OPENING);
