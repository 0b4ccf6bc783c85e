import type { Block } from '../../../core/model/block.js';
import type { Message } from '../../../core/model/message.js';

/** How much may go, and what has to stay. */
export interface SnipLimits {
  /** Tokens that should go, as a chars/4 counter sees them. */
  readonly wanted: number;
  readonly keepRounds: number;
  /** Results that the server leaves out already, by id. */
  readonly deleted: ReadonlySet<string>;
}

/** The oldest rounds of a conversation. */
export interface OldestRounds {
  readonly messages: readonly Message[];
  readonly rounds: number;
  /** What they take as a chars/4 counter sees it. */
  readonly rough: number;
  /** Rounds that stay. */
  readonly kept: number;
}

/**
 * The oldest rounds that together take what is wanted, the latest protected. A round is a response with the results of its
 * calls, so no pair is split; what the user said, what was attached and what stands for earlier history belong to none.
 */
export function oldestRounds(
  messages: readonly Message[],
  { wanted, keepRounds, deleted }: SnipLimits,
): OldestRounds {
  const rounds = roundsOf(messages);
  const most = Math.max(0, rounds.length - keepRounds);
  const taken: Message[] = [];
  let rough = 0;
  let count = 0;
  while (count < most && rough < wanted) {
    for (const message of rounds[count]!) {
      taken.push(message);
      for (const block of message.blocks)
        if (leavesWithRound(block, message) && !deleted.has(block.toolUseId ?? '')) rough += block.rough;
    }
    count++;
  }
  return { messages: taken, rounds: count, rough, kept: rounds.length - count };
}

/** True for what a round consists of: all of a response, of what follows it the results. */
export function leavesWithRound({ kind }: Block, { role }: Message): boolean {
  return role === 'assistant' || kind === 'tool_result';
}

function roundsOf(messages: readonly Message[]): readonly (readonly Message[])[] {
  const rounds: Message[][] = [];
  let response: string | null = null;
  for (const message of messages) {
    const { role, blocks, responseId } = message;
    if (blocks.length === 0 || blocks.some(({ facts }) => facts.replaces === 'marker')) continue;
    if (role === 'assistant') {
      if (responseId === null || responseId !== response) rounds.push([]);
      response = responseId;
      rounds.at(-1)!.push(message);
    } else if (rounds.length > 0 && blocks.some(({ kind }) => kind === 'tool_result'))
      rounds.at(-1)!.push(message);
  }
  return rounds;
}
