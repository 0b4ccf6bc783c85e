import { chainDigest, type Digest } from '../../../core/base/digest.js';
import { oncePer } from '../../../core/base/once.js';
import { type Block, CHARS_PER_TOKEN } from '../../../core/model/block.js';
import type { Text } from '../../../core/model/text.js';

/** A file as it is now, as far as the session tells (C13). */
export interface FileVersion {
  readonly tokens: number;
  /** As a chars/4 counter sees it. */
  readonly rough: number;
  readonly chars: number;
  readonly digest: Digest;
  /** The read that showed it, for its line numbers; null where no read did. */
  readonly text: Block['text'];
  /** The size is that of the last version that is known, not of the present one. */
  readonly isEstimated: boolean;
}

/** What a thread knows of a file. */
export class KnownFile {
  /** Call of the latest whole read whose content came; null when none did. */
  readId: string | null = null;
  /** Call of the latest write or edit; null while the session has not changed the file. */
  changeId: string | null = null;
  /** The content is also in a call that wrote it or in an attachment, which no microcompaction clears. */
  staysKnown = false;
  /** The latest attempt to read it failed, and nothing wrote it since. */
  isUnreadable = false;
  /** The agent remembers that it used it; false once microcompaction or a new history made it forget. */
  isRemembered = false;
  /** Place of its latest use among all uses. */
  place = 0;
  /** Number of its latest use among all uses. */
  usedAt = 0;
  /** The same of its latest change; 0 while the session has not changed it. */
  changedAt = 0;

  constructor(
    readonly path: string,
    public version: FileVersion,
  ) {}
}

/** The version that a block shows in full; `estimated` when it shows a part. */
export function shownVersion(block: Block, certainty: 'exact' | 'estimated'): FileVersion {
  const { tokens, rough, chars, digest, text, kind } = block;
  const isRead = kind === 'tool_result';
  return {
    tokens,
    rough,
    chars,
    digest,
    text: isRead ? text : null,
    isEstimated: certainty === 'estimated',
  };
}

/** The version that a call wrote: its share of the call's tokens is that of its characters. */
export function writtenVersion(call: Block, chars: number): FileVersion {
  const share = call.chars === 0 ? 0 : Math.min(1, chars / call.chars);
  const tokens = call.chars === 0 ? Math.round(chars / CHARS_PER_TOKEN) : Math.round(call.tokens * share);
  return { tokens, rough: Math.round(chars / 4), chars, digest: call.digest, text: null, isEstimated: false };
}

/** The version that an edit leaves; null characters leave a size that can only be estimated. */
export function editedVersion(before: FileVersion, call: Block, grownChars: number | null): FileVersion {
  const digest = chainDigest(before.digest, call.digest);
  const { text } = before;
  if (grownChars === null) {
    const { tokens, rough, chars } = before;
    return { tokens, rough, chars, digest, text, isEstimated: true };
  }
  const chars = Math.max(0, before.chars + grownChars);
  const tokens =
    before.chars === 0
      ? Math.round(chars / CHARS_PER_TOKEN)
      : Math.round((before.tokens * chars) / before.chars);
  return { tokens, rough: Math.round(chars / 4), chars, digest, text, isEstimated: before.isEstimated };
}

const LINE_NUMBER = /^ *\d+[→\t]/gm;

/** Share of a read that is the numbers of its lines. */
const numberShare = oncePer((text: Text): number => {
  if (text.chars === 0) return 0;
  let chars = 0;
  for (const [number] of text.read().matchAll(LINE_NUMBER)) chars += number.length;
  return chars / text.chars;
});

/** Tokens of a file itself, without the line numbers that a read adds. */
export function plainTokens({ tokens, text }: Pick<FileVersion, 'tokens' | 'text'>): number {
  return text === null ? tokens : tokens * (1 - numberShare(text));
}
