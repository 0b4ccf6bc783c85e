import type { Thread } from '../model/transcript.js';
import { COLD_PREFIX_SHARE } from './rules.js';
import type { RecordedRequest } from './truth.js';

/** What the first request of a thread tells: how large system and tools are, and what was warm. */
export interface FirstPrompt {
  readonly sharedTokens: number;
  /** `messages`: more than system and tools was warm, so the recording starts in mid-session. */
  readonly warm: 'none' | 'shared' | 'messages';
}

/** Largest system prompt and tools that are believed: 36,000 is the most seen behind a compaction (E6). */
const LARGEST_SHARED_TOKENS = 60_000;

/** System and tools where the recording starts in mid-session: the median read behind a compaction (E6). */
const TYPICAL_SHARED_TOKENS = 25_000;

function unexplainedTokens(thread: Thread): number {
  let total = 0;
  for (const block of thread.prefix) total += block.tokens;
  return total;
}

/** True when more came before the first request than system, tools and the messages at hand. */
export function startsMidSession(thread: Thread, first: RecordedRequest): boolean {
  return first.read > LARGEST_SHARED_TOKENS || unexplainedTokens(thread) > LARGEST_SHARED_TOKENS;
}

/** Reads the first request of a thread: the only recorded usage a blind prediction looks at. */
export function firstPrompt(thread: Thread, request: RecordedRequest): FirstPrompt {
  const { read, cached } = request;
  if (read > LARGEST_SHARED_TOKENS)
    return { sharedTokens: Math.min(TYPICAL_SHARED_TOKENS, read), warm: 'messages' };
  if (read > 0) return { sharedTokens: read, warm: 'shared' };
  const guess = Math.round(Math.min(unexplainedTokens(thread), cached) * COLD_PREFIX_SHARE);
  const sharedTokens = guess > LARGEST_SHARED_TOKENS ? TYPICAL_SHARED_TOKENS : guess;
  return { sharedTokens: Math.min(sharedTokens, cached), warm: 'none' };
}
