import { type Block, createBlock, digestContent, mediaCount } from '../../../core/model/block.js';
import {
  hasToolUse,
  type Message,
  messageTokens,
  textMessage,
  tokensOf,
  withBlocks,
} from '../../../core/model/message.js';
import { lazyText } from '../../../core/model/text.js';
import type { ManualCompaction } from '../../../core/model/transcript.js';
import type { KeepPart, SelectPart } from '../../../core/run/policy-rules.js';
import { estimateMessage, PLAIN_RULES } from '../../../core/tokens/heuristic.js';
import type { Sizes } from '../../policy-file/expression.js';
import { charBudget, tokenBudget } from './items.js';

/** A conversation split for a new history. */
export interface Split {
  /** Oldest messages that stay in front. */
  readonly first: readonly Message[];
  /** What goes. */
  readonly older: readonly Message[];
  /** Both in their order: what a summary is about. */
  readonly sent: readonly Message[];
  /** Messages that stay and are sent along with a request that shares the prefix; absent if none are. */
  readonly along?: readonly Message[];
  /** Newest messages that stay behind. */
  readonly tail: readonly Message[];
  /** Messages of the user among `older` that stay verbatim. */
  readonly user: readonly Message[];
  /** Latest prompt of the user where it is among `older`. */
  readonly lastPrompt: Message | null;
}

/** Splits a conversation as a selection says. With `asks`, a summary will replace what goes. */
export function splitHistory(
  messages: readonly Message[],
  { keep, boundary, move }: SelectPart,
  sizes: Sizes,
  asks: 'asks' | 'drops',
): Split {
  const said = messages.filter(({ origin }) => origin !== 'boundary');
  const first = openingOf(said, keep, asks);
  const from = tailStart(said, first.length, keep, sizes);
  const start = keepsTail(keep) ? fitStart(said, from, boundary, move, first.length) : said.length;
  const tail = said.slice(start);
  const sent = said.slice(0, start);
  const opened = new Set(first);
  const older = opened.size === 0 ? sent : sent.filter((message) => !opened.has(message));
  const user = keep.user === null ? [] : userMessages(older, keep.user);
  return {
    first,
    older,
    sent,
    tail,
    user,
    lastPrompt: lastPromptOf(older, user),
  };
}

/** Messages from the last boundary on; the summary of the previous compaction is among them, so summaries chain (FUL-1). @internal */
export function sinceBoundary(messages: readonly Message[]): readonly Message[] {
  for (let i = messages.length - 1; i >= 0; i--)
    if (messages[i]!.origin === 'boundary') return messages.slice(i + 1);
  return messages;
}

/**
 * Splits a conversation as Claude Code does (FUL-11): all since the boundary goes, all but the last rounds, or one side of a
 * pivot that the user chose. What comes before the boundary is sent along with a request that shares the prefix.
 */
export function splitSinceBoundary(
  messages: readonly Message[],
  keepRounds: number,
  partial: ManualCompaction['partial'],
): Split {
  const live = sinceBoundary(messages);
  const ahead = messages
    .slice(0, messages.length - live.length)
    .filter((message) => message.blocks.length > 0);
  const groups = keepRounds === 0 && partial === null ? [] : groupByRound(live);
  if (partial === null) {
    const keeps = keepRounds > 0 && groups.length > keepRounds + 1;
    const older = keeps ? groups.slice(0, -keepRounds).flat() : live;
    const tail = keeps ? groups.slice(-keepRounds).flat() : [];
    // The first round of a turn stays and is sent along (R20).
    const answer = older.findLastIndex(({ role }) => role === 'assistant');
    const isFirst = keeps && older.slice(answer + 1).some(({ origin }) => origin === 'human');
    const along = isFirst ? tail : [];
    return { first: [], older, sent: [...ahead, ...older], along, tail, user: [], lastPrompt: null };
  }
  let back = 0;
  let index = groups.length;
  while (index > 0 && back < partial.messagesBack) back += groups[--index]!.length;
  const head = groups.slice(0, index).flat();
  const tail = groups.slice(index).flat();
  return partial.direction === 'from'
    ? { first: [...ahead, ...head], older: tail, sent: messages, tail: [], user: [], lastPrompt: null }
    : { first: [], older: head, sent: [...ahead, ...head], tail, user: [], lastPrompt: null };
}

/** The latest prompt among what goes, unless it stays with the messages of the user. */
function lastPromptOf(older: readonly Message[], user: readonly Message[]): Message | null {
  const prompt = older.findLast(({ origin }) => origin === 'human') ?? null;
  return prompt !== null && user.some(({ id }) => id === prompt.id) ? null : prompt;
}

/** What stays in front: a number of messages, or everything before the first response. */
function openingOf(
  messages: readonly Message[],
  { first }: KeepPart,
  asks: 'asks' | 'drops',
): readonly Message[] {
  if (first !== 'opening') return messages.slice(0, unbroken(messages, first));
  const opening = messages.slice(
    0,
    messages.findIndex(({ role }) => role === 'assistant'),
  );
  return asks === 'asks' ? opening.filter(({ origin }) => origin !== 'summary') : opening;
}

/** A number of messages from the start that parts no call from its result: the call goes with what follows. */
function unbroken(messages: readonly Message[], count: number): number {
  let end = Math.min(count, messages.length);
  while (end > 0 && hasToolUse(messages[end - 1]!)) end--;
  return end;
}

/** Where the tail begins by its size alone: of several wishes the one that keeps most counts. */
function tailStart(messages: readonly Message[], opened: number, keep: KeepPart, sizes: Sizes): number {
  const { last, share, atMost, atLeast } = keep;
  const starts = [messages.length];
  if (last !== null) starts.push(lastStart(messages, last));
  const byRounds = share?.of === 'tokens' && atMost === null && atLeast === null;
  if (byRounds) starts.push(shareStart(messages, opened, share.is));
  const budget = tokenBudget(byRounds ? { ...keep, share: null } : keep, tokensOf(messages), sizes);
  if (budget !== null) starts.push(budgetStart(messages, budget, messageTokens));
  const chars = charBudget(
    keep,
    messages.reduce((sum, message) => sum + charsOf(message), 0),
  );
  if (chars !== null) starts.push(budgetStart(messages, chars, charsOf));
  if (keep.finalAnswers) {
    const answer = messages.findLastIndex((message) => message.role === 'assistant' && !hasToolUse(message));
    if (answer >= 0) starts.push(answer);
  }
  return Math.max(opened, Math.min(...starts));
}

/** Characters of a message. */
export function charsOf({ blocks }: Message): number {
  return blocks.reduce((sum, { chars }) => sum + chars, 0);
}

/** Newest messages until a budget is full. */
function budgetStart(
  messages: readonly Message[],
  budget: number,
  size: (message: Message) => number,
): number {
  let start = messages.length;
  let sum = 0;
  while (start > 0 && sum + size(messages[start - 1]!) <= budget) sum += size(messages[--start]!);
  return start;
}

function lastStart(messages: readonly Message[], { n, unit }: NonNullable<KeepPart['last']>): number {
  if (n === 0) return messages.length;
  if (unit === 'messages' || unit === 'items') return Math.max(0, messages.length - n);
  if (unit === 'turns') {
    const prompts = messages.flatMap(({ origin }, i) => (origin === 'human' ? [i] : []));
    return prompts.at(-n) ?? 0;
  }
  const groups = groupByRound(messages);
  return groups.slice(0, Math.max(0, groups.length - n)).reduce((sum, group) => sum + group.length, 0);
}

/** The oldest rounds go until at least the rest of the share is gone; the latest round stays. */
function shareStart(messages: readonly Message[], opened: number, share: number): number {
  const groups = groupByRound(messages);
  const sizes = groups.map(tokensOf);
  const wanted = sizes.reduce((sum, size) => sum + size, 0) * (1 - share);
  let start = 0;
  let dropped = 0;
  for (let i = 0; i < groups.length - 1 && (start < opened || dropped < wanted); i++) {
    if (start >= opened) dropped += sizes[i]!;
    start += groups[i]!.length;
  }
  return start;
}

/** Whether a part of the conversation stays as it is. */
function keepsTail({ last, tokens, share, finalAnswers }: KeepPart): boolean {
  return (last !== null && last.n > 0) || tokens !== null || share !== null || finalAnswers;
}

/** A beginning of the tail that parts no call from its result and stands where the boundary says. */
function fitStart(
  messages: readonly Message[],
  from: number,
  boundary: SelectPart['boundary'],
  move: SelectPart['move'],
  opened: number,
): number {
  if (from >= messages.length && move !== 'forward') return messages.length;
  const fits = fittingStarts(messages, boundary);
  if (move === 'forward') for (let at = from; at < messages.length; at++) if (fits(at)) return at;
  // What waits for a response stays: without a boundary ahead, the last one before it is taken.
  for (let at = Math.min(from, messages.length - 1); at >= opened; at--) if (fits(at)) return at;
  return opened;
}

function fittingStarts(
  messages: readonly Message[],
  boundary: SelectPart['boundary'],
): (at: number) => boolean {
  return (at) => {
    const message = messages[at];
    if (message === undefined) return true;
    if (boundary === 'thinking-loop' && isInThinkingLoop(messages, at)) return false;
    if (boundary === 'user-turn') return message.origin === 'human';
    if (boundary === 'assistant') return message.role === 'assistant';
    return (
      !message.blocks.some(({ kind }) => kind === 'tool_result') &&
      message.origin !== 'attachment' &&
      !partsAPair(messages, at)
    );
  };
}

/** Whether a position parts a loop of calls in which the model thinks: it begins with a prompt and ends with an answer. */
function isInThinkingLoop(messages: readonly Message[], at: number): boolean {
  for (let i = at - 1; i >= 0; i--) {
    const message = messages[i]!;
    if (message.role === 'assistant' && !hasToolUse(message)) return false;
    if (message.blocks.some(({ kind }) => kind === 'thinking')) return true;
    if (message.origin === 'human') return false;
  }
  return false;
}

/** Whether a call before a position is answered behind it. */
function partsAPair(messages: readonly Message[], at: number): boolean {
  const before = messages[at - 1];
  return before !== undefined && hasToolUse(before);
}

/** The newest messages of the user within a budget, of which `head` is for the oldest; the one that crosses it is cut. */
function userMessages(
  messages: readonly Message[],
  { tokens, head }: NonNullable<KeepPart['user']>,
): readonly Message[] {
  const spoken = messages.filter(({ origin }) => origin === 'human');
  const kept: Message[] = [];
  let left = tokens - head;
  let i = spoken.length - 1;
  for (; i >= 0 && left > 0; i--) {
    const message = cutTo(spoken[i]!, left);
    left -= messageTokens(message);
    kept.unshift(message);
  }
  const early: Message[] = [];
  let room = head;
  for (let k = 0; k <= i && room > 0; k++) {
    const message = cutTo(spoken[k]!, room);
    room -= messageTokens(message);
    early.push(message);
  }
  return [...early, ...kept];
}

/** A message cut to at most `tokens`. */
export function cutTo(message: Message, tokens: number): Message {
  const size = messageTokens(message);
  if (size <= tokens) return message;
  const share = tokens / size;
  return withBlocks(
    message,
    message.blocks.map((block) => shorter(block, Math.max(1, Math.floor(block.tokens * share)))),
  );
}

/** A block of the same kind with fewer tokens. */
export function shorter(block: Block, tokens: number): Block {
  if (tokens >= block.tokens) return block;
  const { kind, role, tool, toolUseId, facts } = block;
  const chars = Math.floor((block.chars * tokens) / block.tokens);
  const { text } = block;
  return createBlock({
    kind,
    role,
    tool,
    toolUseId,
    tokens,
    chars,
    digest: digestContent(`[cut] ${block.digest} ${tokens}`, kind, role, tool, toolUseId, mediaCount(facts)),
    text: text === null ? null : lazyText(chars, () => text.read().slice(0, chars)),
    facts: { ...facts, replaces: 'cut' },
  });
}

const MARKER_TEXT = '[Earlier messages were left out: the conversation was too long to be summarised whole.]';
const MARKER_ID = 'truncation-marker';
const MARKER_TOKENS = 18;

/** A marker that an earlier retry put in front. @internal */
export function isMarker(message: Message): boolean {
  return message.origin === 'marker' && message.id === MARKER_ID;
}

/** Messages grouped by API round: each response with the results that follow it; what precedes the first stands alone. */
export function groupByRound(messages: readonly Message[]): readonly (readonly Message[])[] {
  const groups: Message[][] = [];
  let response: string | null = null;
  for (const message of messages) {
    const starts =
      message.role === 'assistant' && (message.responseId === null || message.responseId !== response);
    if (groups.length === 0 || starts) groups.push([]);
    if (message.role === 'assistant') response = message.responseId;
    groups.at(-1)!.push(message);
  }
  return groups;
}

/** How much a refused summary request must lose. */
interface Excess {
  /** Tokens over the limit; null when the error does not tell. */
  readonly gapTokens: number | null;
  /** Share of the groups to drop in that case. */
  readonly share: number;
}

/** How many groups from the given end cover the excess (at least one). */
function groupsToDrop(
  groups: readonly (readonly Message[])[],
  excess: Excess,
  from: 'head' | 'tail',
): number {
  if (excess.gapTokens === null) return Math.max(1, Math.floor(groups.length * excess.share));
  let covered = 0;
  let count = 0;
  while (count < groups.length && covered < excess.gapTokens) {
    const group = groups[from === 'head' ? count : groups.length - 1 - count]!;
    for (const message of group) covered += estimateMessage(message, PLAIN_RULES);
    count++;
  }
  return Math.max(1, count);
}

/**
 * Drops the oldest rounds of a request that was too long (FUL-6). The marker of an earlier retry goes first, or the share rule
 * would drop it again and again. The rest is always shorter, the new marker included (INV-9). Null when nothing would be left.
 */
export function dropHead(
  messages: readonly Message[],
  excess: Excess,
  at: number,
): readonly Message[] | null {
  const groups = groupByRound(messages.filter((message) => !isMarker(message)));
  const before = tokensOf(messages);
  let count = groupsToDrop(groups, excess, 'head');
  while (count < groups.length && tokensOf(groups.slice(count).flat()) + MARKER_TOKENS >= before) count++;
  if (count >= groups.length) return null;
  const rest = groups.slice(count).flat();
  if (rest[0]?.role !== 'assistant') return rest;
  const marker = { tokens: MARKER_TOKENS, text: MARKER_TEXT, facts: { replaces: 'marker' } } as const;
  return [textMessage({ id: MARKER_ID, origin: 'marker', at }, marker), ...rest];
}

/** Drops the newest rounds of a request that was too long, down to a few messages. Null when no more can go. */
export function dropTail(
  messages: readonly Message[],
  excess: Excess,
  minMessages: number,
): readonly Message[] | null {
  const groups = groupByRound(messages);
  const count = Math.min(groupsToDrop(groups, excess, 'tail'), groups.length - 1);
  let rest = groups.slice(0, groups.length - count).flat();
  if (rest.length < minMessages) rest = groups.slice(0, fewestGroups(groups, minMessages)).flat();
  return rest.length < messages.length ? rest : null;
}

function fewestGroups(groups: readonly (readonly Message[])[], minMessages: number): number {
  let messages = 0;
  let count = 0;
  while (count < groups.length && messages < minMessages) messages += groups[count++]!.length;
  return count;
}
