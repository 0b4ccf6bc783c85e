import { getOrMake } from '../../../core/base/once.js';
import { type Block, createBlock } from '../../../core/model/block.js';
import { createMessage, type Message } from '../../../core/model/message.js';

/** Sections of a full summary, in order (FUL-2). @internal */
export const SUMMARY_SECTIONS = [
  'Primary request and intent',
  'Key technical concepts',
  'Files and code',
  'Errors and fixes',
  'Problem solving',
  'All user messages',
  'Pending tasks',
  'Current work',
  'Optional next step',
] as const;

/** The last two sections of a summary that ends at a pivot (FUL-11). @internal */
export const UP_TO_SECTIONS = [
  ...SUMMARY_SECTIONS.slice(0, 7),
  'Work completed',
  'Context for going on',
] as const;

/** What a summary is about: everything, or what comes before a pivot. */
export type SummaryStyle = 'full' | 'partial-up-to';

const OPENING =
  'Answer with text only. Do not call any tool: a tool call would waste the only turn you have.';

const TASK = [
  'Write a summary of this conversation that lets the work go on without it.',
  'First think it through inside <analysis> tags: go through the conversation in order and note each request, each decision, each file with the code that matters, each error and how it was solved, and every correction the user made.',
  'Then give the summary inside <summary> tags, in these sections:',
].join('\n');

const CLOSING = 'Remember: text only, no tools, first <analysis>, then <summary>.';

/** True tokens of the instruction per character of it, as prose counts. */
const CHARS_PER_PROMPT_TOKEN = 4.4;

/** The request for a summary (FUL-2): tools are ruled out at the start and again at the end; what hooks print follows the user's own words (FUL-1). With a size, it is as long as the client's. */
export function summaryInstruction(
  id: string,
  at: number,
  style: SummaryStyle,
  instructions: string,
  ofHooks: readonly Block[],
  tokens: number | null,
): Message {
  const isPlain = instructions.trim() === '' && ofHooks.length === 0;
  const own = isPlain ? PLAIN[style] : blocksOf(style, instructions, ofHooks);
  const missing = tokens === null ? 0 : tokens - PLAIN[style][0]!.tokens;
  const blocks = missing > 0 ? [clientWords(missing), ...own] : own;
  return createMessage({ id, role: 'user', origin: 'directive', blocks, at });
}

function blocksOf(style: SummaryStyle, instructions: string, ofHooks: readonly Block[]): readonly Block[] {
  const sections = style === 'full' ? SUMMARY_SECTIONS : UP_TO_SECTIONS;
  const custom = instructions.trim() === '' ? [] : [instructions];
  const lines = [
    OPENING,
    TASK,
    ...sections.map((section, i) => `${i + 1}. ${section}`),
    'Quote every message of the user. In the last section quote the most recent exchange that the next step rests on.',
    ...(custom.length + ofHooks.length === 0 ? [] : ['Additional instructions:', ...custom]),
  ];
  return ofHooks.length === 0 ? [words([...lines, CLOSING])] : [words(lines), ...ofHooks, words([CLOSING])];
}

/** The request in our own words alone, which is always the same. */
const PLAIN = {
  full: blocksOf('full', '', []),
  'partial-up-to': blocksOf('partial-up-to', '', []),
} as const;

const CLIENT_WORDS = new Map<number, Block>();

/** What a client says beyond our own words, by its size alone: made once, since each client has one size. */
function clientWords(tokens: number): Block {
  const chars = Math.round(tokens * CHARS_PER_PROMPT_TOKEN);
  return getOrMake(CLIENT_WORDS, tokens, () => createBlock({ kind: 'text', role: 'user', tokens, chars }));
}

function words(lines: readonly string[]): Block {
  const text = lines.join('\n');
  const tokens = Math.round(text.length / CHARS_PER_PROMPT_TOKEN);
  return createBlock({ kind: 'text', role: 'user', tokens, text });
}
