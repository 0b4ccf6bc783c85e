import { type Message, textMessage, tokensOf } from '../../../core/model/message.js';
import { estimateMessage, PLAIN_RULES } from '../../../core/tokens/heuristic.js';

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
export interface Excess {
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
