import { digestParts } from '../../core/base/digest.js';
import { compareVersions } from '../../core/model/agent-version.js';
import { createBlock } from '../../core/model/block.js';
import type { MessageOrigin } from '../../core/model/message.js';
import { type DraftMessage, draftMessage } from './draft.js';

/** `facts.attachment` of the reminders that come before the first message: memory files, environment, lists. */
export const OPENING_CONTEXT = 'opening-context';
/** `facts.attachment` of a conversation that went on before the file begins. */
export const EARLIER_HISTORY = 'earlier-history';

/** Largest system prompt and tools that are believed: 38,000 is the most read behind a compaction (E6). */
const LARGEST_PREFIX_TOKENS = 60_000;

/** System and tools where a file begins in mid-session: the median read behind a compaction (E6). */
const TYPICAL_PREFIX_TOKENS = 25_000;

/**
 * Share of what no message explains in a first prompt that is system and tools, where nothing was warm, from a version on
 * (K8: 0.63 over all, 0.39 to 0.84 by version; medians of the recordings whose later requests tell).
 */
const COLD_PREFIX_SHARES: readonly { readonly from: string; readonly share: number }[] = [
  { from: '0', share: 0.8 },
  { from: '2.1.21', share: 0.41 },
  { from: '2.1.38', share: 0.63 },
  { from: '2.1.200', share: 0.87 },
];

function coldPrefixShare(version: string | null): number {
  let found = 0.63;
  if (version === null) return found;
  for (const { from, share } of COLD_PREFIX_SHARES) if (compareVersions(version, from) >= 0) found = share;
  return found;
}

/** What comes before the first message of a file. */
export interface Opening {
  /** Tools and system prompt: what a request finds in the cache when everything behind them changes. */
  readonly prefixTokens: number;
  /** Reminders behind them, which stay in front of every history; null when there are none. */
  readonly context: DraftMessage | null;
  /** The conversation before the file begins; null when it begins with the session. */
  readonly history: DraftMessage | null;
}

function hidden(attachment: string, origin: MessageOrigin, sizes: readonly number[]): DraftMessage | null {
  const blocks = sizes
    .filter((tokens) => tokens > 0)
    .map((tokens, i) =>
      createBlock({
        kind: 'text',
        role: 'user',
        tokens,
        rough: 0,
        facts: { attachment },
        digest: digestParts([attachment, i, tokens]),
      }),
    );
  if (blocks.length === 0) return null;
  return draftMessage({ id: attachment, role: 'user', origin, timeMs: null, blocks });
}

/**
 * Divides the tokens that no message explains in a first prompt. System and tools are what the first request read, or a
 * share of the rest where it read nothing (K8, K9); behind them come reminders, which a compaction keeps. A file that
 * begins in mid-session has history there, which a compaction removes (K13); the part that its first request read is kept apart.
 * What a recording tells of system and tools (R13) goes before shares.
 */
export function openingOf(
  unexplained: number,
  firstRead: number,
  version: string | null,
  known: number | null = null,
): Opening {
  if (unexplained > LARGEST_PREFIX_TOKENS || firstRead > LARGEST_PREFIX_TOKENS) {
    const isPrefix = firstRead > 0 && firstRead <= LARGEST_PREFIX_TOKENS;
    const prefixTokens = Math.min(isPrefix ? firstRead : (known ?? TYPICAL_PREFIX_TOKENS), unexplained);
    const history = unexplained - prefixTokens;
    const warm = Math.max(0, Math.min(history, firstRead - prefixTokens));
    return {
      prefixTokens,
      context: null,
      history: hidden(EARLIER_HISTORY, 'meta', [warm, history - warm]),
    };
  }
  const prefixTokens =
    firstRead > 0
      ? Math.min(firstRead, unexplained)
      : Math.min(known ?? Math.round(unexplained * coldPrefixShare(version)), unexplained);
  return {
    prefixTokens,
    context: hidden(OPENING_CONTEXT, 'context', [unexplained - prefixTokens]),
    history: null,
  };
}
