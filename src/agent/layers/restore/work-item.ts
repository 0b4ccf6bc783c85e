import type { Digest } from '../../../core/base/digest.js';
import { type Block, CHARS_PER_TOKEN } from '../../../core/model/block.js';

/** A piece of work the agent would put back after a compaction. */
export interface WorkItem {
  readonly label: string;
  readonly tokens: number;
  readonly rough: number;
  readonly chars: number;
  readonly digest: Digest;
}

/** A block, or a file as it is now, as an item. */
export function itemOf(label: string, { tokens, rough, chars, digest }: Omit<WorkItem, 'label'>): WorkItem {
  return { label, tokens, rough, chars, digest };
}

/** This many characters of a block as an item: their share of its tokens is that of its characters. */
export function partOf(label: string, block: Block, chars: number): WorkItem {
  const tokens =
    block.chars === 0
      ? Math.round(chars / CHARS_PER_TOKEN)
      : Math.round(block.tokens * Math.min(1, chars / block.chars));
  return { label, tokens, rough: Math.round(chars / 4), chars, digest: block.digest };
}

/** Several items as one. */
export function sumOf(label: string, items: Iterable<WorkItem>, digest: Digest): WorkItem {
  let tokens = 0;
  let rough = 0;
  let chars = 0;
  for (const item of items) {
    tokens += item.tokens;
    rough += item.rough;
    chars += item.chars;
  }
  return { label, tokens, rough, chars, digest };
}
