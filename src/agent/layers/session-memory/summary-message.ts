import { chainDigest, digestText } from '../../../core/base/digest.js';
import { CHARS_PER_TOKEN, textBlock, uniformFacts } from '../../../core/model/block.js';
import { createMessage, type Message } from '../../../core/model/message.js';
import type { Notes } from '../../../core/model/notes.js';
import { lazyText, type Text } from '../../../core/model/text.js';

const OPENING = [
  'This session goes on from an earlier one whose conversation had filled the context.',
  'What follows are the notes that were kept of the part that is no longer here; the latest messages stand behind them',
  'unchanged. Go on with the work where it was left, without asking about it and without telling what the notes say.',
  '',
  '',
].join('\n');

const SUMMARY_FACTS = uniformFacts({ replaces: 'summary' });
const OPENING_DIGEST = digestText(OPENING);

/** The marker that separates what was compacted from what follows (FUL-9): never sent. */
export function boundaryMessage(id: string, at: number): Message {
  return createMessage({ id, role: 'user', origin: 'boundary', blocks: [], at });
}

/** What stands for the compacted part. */
export type SummaryText = Pick<Notes, 'text' | 'tokens' | 'digest'>;

/** The user message that stands for the compacted part: our opening, then the summary. Built when read. */
export function summaryMessage(id: string, at: number, summary: SummaryText): Message {
  const text: Text = lazyText(OPENING.length + summary.text.chars, () => `${OPENING}${summary.text.read()}`);
  const tokens = Math.ceil(OPENING.length / CHARS_PER_TOKEN) + summary.tokens;
  const digest = chainDigest(OPENING_DIGEST, summary.digest);
  const block = textBlock(text, tokens, digest, SUMMARY_FACTS);
  return createMessage({ id, role: 'user', origin: 'summary', blocks: [block], at });
}
