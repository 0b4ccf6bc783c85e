import type { ConversationFacts } from './facts.js';

/** Which sections a summary has at its end (FUL-2, FUL-11). */
export type SummaryStyle = 'full' | 'partial-up-to';

const SHARED = [
  'Primary request and intent',
  'Key technical concepts',
  'Files and code',
  'Errors and fixes',
  'Problem solving',
  'All user messages',
  'Pending tasks',
] as const;

/** Titles of the nine sections, in order (FUL-2); a summary up to a pivot ends otherwise (FUL-11). */
export const SUMMARY_TITLES: Readonly<Record<SummaryStyle, readonly string[]>> = {
  full: [...SHARED, 'Current work', 'Optional next step'],
  'partial-up-to': [...SHARED, 'Work completed', 'Context for going on'],
};

/** Index of the section that holds the user's words. */
export const USER_SECTION = SHARED.indexOf('All user messages');

/** Index of the section that grows to the planned size. */
export const WALK_SECTION = SHARED.indexOf('Problem solving');

function orNone(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? ['- none'] : lines;
}

function quoted(words: string | null): string {
  return words === null ? '(not recorded)' : `"${words}"`;
}

/** The lines of the sections, the user's words excepted. */
export function summaryLines(facts: ConversationFacts, style: SummaryStyle): readonly (readonly string[])[] {
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
