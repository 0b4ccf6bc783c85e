import type { RecordedCall, Thread } from '../../core/model/transcript.js';
import { cacheWriteTokens, promptTokens } from '../../core/model/usage.js';

/** What the first request of a thread found: nothing, tools and system prompt, or a conversation that went on before. */
export type Warmth = 'none' | 'prefix' | 'messages';

/** Reads beyond system and tools by this many tokens tell that messages were warm. */
const BESIDE_PREFIX_TOKENS = 2_000;

/** Tokens of a thread's tools and system prompt. */
export function prefixTokensOf(thread: Thread): number {
  let total = 0;
  for (const block of thread.prefix) total += block.tokens;
  return total;
}

/** What the recorded first request of a thread found (K11): the only recorded split a prediction looks at. */
export function recordedWarmth(thread: Thread, first: RecordedCall): Warmth {
  const read = first.usage?.cacheRead ?? 0;
  if (read === 0) return 'none';
  return read > prefixTokensOf(thread) + BESIDE_PREFIX_TOKENS ? 'messages' : 'prefix';
}

/** Lifetimes that requests ask for, for the system prompt and for messages: a fact of the workload, known from what was written. */
export interface WrittenLifetimes {
  readonly system: '5m' | '1h';
  readonly messages: '5m' | '1h';
}

/** The lifetimes a call wrote with; those before it where it wrote nothing. */
export function writtenLifetimes(call: RecordedCall, before: WrittenLifetimes): WrittenLifetimes {
  const { usage } = call;
  if (usage === null || promptTokens(usage) === 0 || cacheWriteTokens(usage) === 0) return before;
  if (usage.cacheWrite1h === 0) return { system: '5m', messages: '5m' };
  return { system: '1h', messages: usage.cacheWrite5m > 0 ? '5m' : '1h' };
}
