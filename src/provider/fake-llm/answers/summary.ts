import type { Random } from '../../../core/base/random.js';
import { CHARS_PER_TOKEN } from '../../../core/model/block.js';
import { ANALYSIS_LABEL, collapseBlankLines, SUMMARY_LABEL } from '../../../core/model/format-summary.js';
import type { Message } from '../../../core/model/message.js';
import { lazyText } from '../../../core/model/text.js';
import type { Answer } from '../../../core/run/action.js';
import type { FakeLlmPlan } from '../../../core/run/run-plan.js';
import { drawAmount } from '../fake-llm.js';
import { type ConversationFacts, exactText, gatherFacts, walkBlocks } from './facts.js';
import { type UserMessages, userMessages } from './user-messages.js';

/** Which sections a summary has at its end (FUL-2, FUL-11). */
type SummaryStyle = 'full' | 'partial-up-to';

const SHARED = [
  'Primary request and intent',
  'Key technical concepts',
  'Files and code',
  'Errors and fixes',
  'Problem solving',
  'All user messages',
  'Pending tasks',
] as const;

/** Titles of the nine sections, in order (FUL-2); a summary up to a pivot ends otherwise (FUL-11). @internal */
export const SUMMARY_TITLES: Readonly<Record<SummaryStyle, readonly string[]>> = {
  full: [...SHARED, 'Current work', 'Optional next step'],
  'partial-up-to': [...SHARED, 'Work completed', 'Context for going on'],
};

/** Index of the section that holds the user's words. */
const USER_SECTION = SHARED.indexOf('All user messages');

/** Index of the section that grows to the planned size. */
const WALK_SECTION = SHARED.indexOf('Problem solving');

function orNone(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? ['- none'] : lines;
}

function quoted(words: string | null): string {
  return words === null ? '(not recorded)' : `"${words}"`;
}

/** The lines of the sections, the user's words excepted. */
function summaryLines(facts: ConversationFacts, style: SummaryStyle): readonly (readonly string[])[] {
  const { firstRequest, lastRequest, lastAnswer, earlierSummary } = facts;
  const request = [`- The user began with: ${quoted(firstRequest)}`];
  if (earlierSummary !== null) request.unshift(`- From an earlier summary: ${earlierSummary}`);
  if (lastRequest !== firstRequest) request.push(`- Most recently: ${quoted(lastRequest)}`);
  const last = facts.messages.at(-1);
  const tail =
    style === 'full'
      ? [
          [`- Last said: ${quoted(lastAnswer)}`, `- Last message from: ${last?.origin ?? 'nobody'}`],
          [`- Go on with ${quoted(lastRequest)}, where the work stood at ${quoted(lastAnswer)}`],
        ]
      : [
          [`- Done so far, in the words of the last answer: ${quoted(lastAnswer)}`],
          [`- What follows builds on ${quoted(lastRequest)}`],
        ];
  return [
    request,
    orNone(facts.tools.map(({ tool, calls, tokens }) => `- ${tool}: ${calls} calls, ${tokens} tokens`)),
    orNone(facts.files.map(({ path, uses, tokens }) => `- ${path}: ${uses.join(', ')}, ${tokens} tokens`)),
    orNone(facts.errors),
    [`- ${facts.messages.length} messages were worked through, step by step:`],
    [],
    [`- Answer ${quoted(lastRequest)} in full`],
    ...tail,
  ];
}

/** A summary: its sizes at once, its words when read. */
export type Summary = Pick<Answer, 'text' | 'tokens' | 'scratchpadTokens'>;

/** What bounds a summary (C19). */
export interface SummaryBounds {
  /** Tokens of the whole answer, the scratchpad included. */
  readonly maxTokens: number;
  readonly quoteTokens: number;
}

/** Tokens a summary has besides the user's words, at least (assumed). */
const FLOOR_TOKENS = 250;
/** Characters each free section has, at least. */
const FREE_CHARS = 48;
/** A scratchpad below this is not worth its tags. */
const MIN_SCRATCHPAD_TOKENS = 40;

const ANALYSIS_OPEN = '<analysis>\n';
const ANALYSIS_CLOSE = '\n</analysis>\n\n';
const SUMMARY_OPEN = '<summary>\n';
const SUMMARY_CLOSE = '\n</summary>';
const SECTION_GAP = '\n\n';

function heading(title: string, index: number): string {
  return `${index + 1}. ${title}:\n`;
}

/** Characters that do not depend on the free sections: headings, gaps, the user's words. */
function fixedChars(style: SummaryStyle, users: UserMessages): number {
  const titles = SUMMARY_TITLES[style];
  let chars = users.list.chars + SECTION_GAP.length * (titles.length - 1);
  for (const [index, title] of titles.entries()) chars += heading(title, index).length;
  return chars;
}

/** Gives each free section an equal share first, what is left in order, and the rest to the walk. */
function shareOut(natural: readonly number[], budget: number): number[] {
  const free = natural.length - 1;
  const fair = Math.floor(budget / free);
  const shares = natural.map((chars, i) => (i === USER_SECTION ? 0 : Math.min(chars, fair)));
  let left = budget;
  for (const share of shares) left -= share;
  for (const [i, chars] of natural.entries()) {
    if (i === USER_SECTION) continue;
    const extra = Math.min(left, chars - shares[i]!);
    shares[i]! += extra;
    left -= extra;
  }
  shares[WALK_SECTION]! += left;
  return shares;
}

/** The sections at exactly this many characters. */
function buildSections(
  messages: readonly Message[],
  style: SummaryStyle,
  users: UserMessages,
  chars: number,
): string {
  const lines = summaryLines(gatherFacts(messages), style);
  const natural = lines.map((section) => section.join('\n').length);
  const shares = shareOut(natural, chars - fixedChars(style, users));
  const bodies = lines.map((section, i) => {
    if (i === USER_SECTION) return users.list.read();
    return exactText(section, shares[i]!, i === WALK_SECTION ? walkBlocks(messages) : undefined);
  });
  return SUMMARY_TITLES[style].map((title, i) => heading(title, i) + bodies[i]!).join(SECTION_GAP);
}

/**
 * Writes both parts. Blank lines of the user's that formatting will collapse are made up for in the summary at the
 * scratchpad's cost, so that the length is as planned before and, once the scratchpad is dropped, after formatting.
 */
function build(
  messages: readonly Message[],
  style: SummaryStyle,
  users: UserMessages,
  sizes: { readonly analysis: number; readonly summary: number },
): string {
  let summary = buildSections(messages, style, users, sizes.summary);
  if (sizes.analysis === 0) return SUMMARY_OPEN + summary + SUMMARY_CLOSE;
  const lost = summary.length - collapseBlankLines(summary).length;
  const moved = lost > 0 && lost + FREE_CHARS < sizes.analysis ? lost : 0;
  if (moved > 0) summary = buildSections(messages, style, users, sizes.summary + moved);
  const opening = [`The conversation has ${messages.length} messages; the user spoke ${users.count} times.`];
  const analysis = exactText(opening, sizes.analysis - moved, walkBlocks(messages));
  return ANALYSIS_OPEN + analysis + ANALYSIS_CLOSE + SUMMARY_OPEN + summary + SUMMARY_CLOSE;
}

/** What fits: the free sections give way first, then the scratchpad (C19). */
function fitted(
  drawn: number,
  needed: number,
  scratchpad: number,
  max: number,
): { readonly tokens: number; readonly scratchpadTokens: number } {
  const tokens = Math.max(Math.min(drawn, max - scratchpad), needed);
  const room = max - tokens;
  return { tokens, scratchpadTokens: room < MIN_SCRATCHPAD_TOKENS ? 0 : Math.min(scratchpad, room) };
}

/** Tokens of the shortest summary with these words of the user. */
function neededTokens(style: SummaryStyle, users: UserMessages): number {
  const chars = fixedChars(style, users) + FREE_CHARS * SUMMARY_TITLES[style].length + SUMMARY_LABEL.length;
  return Math.max(users.tokens + FLOOR_TOKENS, Math.ceil((chars + 1) / CHARS_PER_TOKEN));
}

/**
 * The user's messages, with the longest quotations that leave the summary within its bound (C41). Where there are too many
 * messages even for the shortest quotations, they are given by these, and whoever sends the summary cuts it.
 */
function quotedWithin(
  messages: readonly Message[],
  style: SummaryStyle,
  bounds: SummaryBounds,
): UserMessages {
  const { maxTokens, quoteTokens } = bounds;
  const users = userMessages(messages, quoteTokens);
  if (neededTokens(style, users) <= maxTokens) return users;
  let low = 1;
  let high = Math.min(quoteTokens, users.tokens);
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (neededTokens(style, userMessages(messages, middle)) <= maxTokens) low = middle;
    else high = middle;
  }
  return userMessages(messages, low);
}

/**
 * Composes a summary of messages (FUL-2). Its tokens are drawn as planned and held to the bounds, but never too few for all the
 * user's messages (INV-14): where these do not fit, they are quoted by shorter heads and tails. Formatted, it has
 * CHARS_PER_TOKEN characters per token.
 */
export function composeSummary(
  messages: readonly Message[],
  style: SummaryStyle,
  plan: FakeLlmPlan,
  random: Random,
  tags: 'tagged' | 'untagged',
  bounds: SummaryBounds,
): Summary {
  const users = quotedWithin(messages, style, bounds);
  const needed = neededTokens(style, users);
  const drawn = drawAmount(plan.summaryTokens, random);
  const drawnScratchpad = drawAmount(plan.scratchpadTokens, random);
  const wanted =
    tags === 'untagged' || drawnScratchpad <= 0 ? 0 : Math.max(MIN_SCRATCHPAD_TOKENS, drawnScratchpad);
  const { tokens, scratchpadTokens } = fitted(drawn, needed, wanted, bounds.maxTokens);
  const chars = Math.round(tokens * CHARS_PER_TOKEN);
  if (tags === 'untagged') {
    const text = lazyText(chars, () => buildSections(messages, style, users, chars));
    return { text, tokens, scratchpadTokens: 0 };
  }
  const sizes = {
    analysis:
      scratchpadTokens === 0
        ? 0
        : Math.round(scratchpadTokens * CHARS_PER_TOKEN) - ANALYSIS_LABEL.length - SECTION_GAP.length,
    summary: chars - SUMMARY_LABEL.length,
  };
  let total = SUMMARY_OPEN.length + sizes.summary + SUMMARY_CLOSE.length;
  if (sizes.analysis > 0) total += ANALYSIS_OPEN.length + sizes.analysis + ANALYSIS_CLOSE.length;
  return { text: lazyText(total, () => build(messages, style, users, sizes)), tokens, scratchpadTokens };
}
