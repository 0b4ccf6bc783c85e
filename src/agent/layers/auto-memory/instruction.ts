import { chainDigest, type Digest, digestText } from '../../../core/base/digest.js';
import { MEMORY_DIRECTORY, MEMORY_TYPES } from '../../../core/model/memory.js';
import { lazyText, type Text } from '../../../core/model/text.js';
import type { StoredMemory } from './memory-store.js';

/** Memories that the instruction lists by name; the rest is in the index (assumed). */
const LISTED = 40;

/** Memories as an instruction lists them. */
export interface Listing {
  readonly memories: readonly StoredMemory[];
  readonly chars: number;
  readonly digest: Digest;
}

/** The list of the last memories; the one before it when nothing in it has changed. */
function listOf(memories: readonly StoredMemory[], before: Listing | null): Listing {
  const from = Math.max(0, memories.length - LISTED);
  if (before !== null && isSame(before.memories, memories, from)) return before;
  const listed = memories.slice(from);
  let chars = 0;
  let digest: Digest = 1;
  for (const { line } of listed) {
    chars += line.text.length + 1;
    digest = chainDigest(digest, line.digest);
  }
  return { memories: listed, chars, digest };
}

function isSame(listed: readonly StoredMemory[], memories: readonly StoredMemory[], from: number): boolean {
  if (listed.length !== memories.length - from) return false;
  for (let i = 0; i < listed.length; i++) if (listed[i] !== memories[from + i]) return false;
  return true;
}

/** What the fork is told (AUT-1, AUT-2, AUT-4): what to keep, what not, where, and in how many turns. Built when read. */
export function extractionText(
  memories: readonly StoredMemory[],
  before: Listing | null,
): { readonly text: Text; readonly digest: Digest; readonly listing: Listing } {
  const count = `${memories.length} memories are there:\n`;
  const listing = listOf(memories, before);
  const build = (): string => OPENING + count + listing.memories.map(({ line }) => `${line.text}\n`).join('');
  return {
    text: lazyText(OPENING.length + count.length + listing.chars, build),
    digest: chainDigest(digestText(count, OPENING_DIGEST), listing.digest),
    listing,
  };
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
