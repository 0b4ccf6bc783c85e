import type { RunPlan } from '../../../src/core/run/run-plan.js';
import { Conversation } from '../generators/conversation.js';
import { type PlanInit, planOf } from '../plan.js';

/** Layers that clear, store or remember, off. */
export const LAYERS_OFF = {
  'storage.enabled': false,
  'sessionMemory.enabled': false,
  'microcompact.timeBased.enabled': false,
  'microcompact.cached.enabled': false,
  'microcompact.apiNative.enabled': false,
  'autoMemory.enabled': false,
} as const;

/** Switches of layers that would act besides full compaction. */
export const COMPACTION_ONLY = {
  ...LAYERS_OFF,
  'microcompact.token.enabled': false,
  'dreaming.enabled': false,
} as const;

/** A plan under which nothing acts besides full compaction, and what a test sets. */
export function compactionPlan(policy: string, { set = {}, ...rest }: PlanInit = {}): RunPlan {
  return planOf({ policy, ...rest, set: { ...COMPACTION_ONLY, ...set } });
}

/** What a conversation that stays above a threshold is made of. */
export interface AboveSpec {
  /** Tokens of tools and system prompt. */
  readonly prefixTokens?: number;
  /** Tokens before the first of the rounds. */
  readonly from: number;
  /** Rounds with this many tokens each. */
  readonly rounds: number;
  readonly roundTokens?: number;
  /** Rounds that make up `from`. */
  readonly before?: number;
}

/**
 * A conversation whose context is at `from` tokens by usage and then goes through this many rounds: each but the last adds a
 * result, the last is an answer. Sizes are four characters a token, so counters agree with true tokens.
 */
export function above(spec: AboveSpec): Conversation {
  const { prefixTokens = 15_000, from, rounds, roundTokens = 100, before = 20 } = spec;
  const talk = new Conversation({ toolsTokens: prefixTokens - 3_000, systemTokens: 3_000 }).human(100);
  const filling = from - prefixTokens - 100;
  const each = Math.floor(filling / before);
  for (let i = 0; i < before; i++) {
    const tokens = (i === before - 1 ? filling - each * (before - 1) : each) - 20;
    talk.tools([{ tool: 'Task', tokens }]);
  }
  for (let i = 0; i < rounds - 1; i++) talk.tools([{ tool: 'Task', tokens: roundTokens - 20 }]);
  return talk.answer(50);
}
