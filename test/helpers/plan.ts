import { policyRegistry } from '../../src/agent/policies/catalogue.js';
import { planPolicy } from '../../src/agent/policies/plan-policy.js';
import type { Transcript } from '../../src/core/model/transcript.js';
import type { RequestEntry } from '../../src/core/run/log-entries.js';
import type { LogEntry } from '../../src/core/run/run-log.js';
import type { FaultRule, RunPlan } from '../../src/core/run/run-plan.js';
import { replay } from '../../src/engine/run/replay.js';
import { effective } from './effective.js';
import { Conversation } from './generators/conversation.js';

/** What a test changes about the plain plan. */
export interface PlanInit extends Partial<Omit<RunPlan, 'policy' | 'cache' | 'llm' | 'faults'>> {
  readonly policy?: string;
  readonly set?: Readonly<Record<string, unknown>>;
  readonly cache?: Partial<RunPlan['cache']>;
  readonly faults?: readonly Partial<FaultRule>[];
  readonly summaryTokens?: number;
}

/** A fault at every compaction: conditions that are not given do not apply. */
export const NO_FAULT: FaultRule = {
  call: 'compact',
  error: 'overloaded',
  nth: null,
  every: null,
  from: null,
  to: null,
  probability: null,
  gapTokens: null,
  retryAfterSeconds: null,
  delaySeconds: null,
};

/** A complete plan with the given differences; nothing of a recording is given but its content. */
export function planOf(init: PlanInit = {}): RunPlan {
  const { policy = 'none', set = {}, cache = {}, faults = [], summaryTokens = 4_000, ...rest } = init;
  return {
    name: 'test',
    mode: 'predict',
    seed: 1,
    model: null,
    window: null,
    timing: 'recorded',
    estimatorFactor: 1,
    ...rest,
    policy: planPolicy(policyRegistry.get(policy), effective(policy, set)),
    cache: { mode: 'on', ttl: '5m', subagentTtl: '5m', fade: 'off', ...cache },
    llm: {
      fake: {
        summaryTokens: { fixed: summaryTokens },
        scratchpadTokens: { fixed: 800 },
        notesTokens: { fixed: 1_500 },
        latencyScale: 1,
      },
      faults: faults.map((fault) => ({ ...NO_FAULT, ...fault })),
    },
  };
}

/** Runs a plan and returns its log. */
export function runLog(plan: RunPlan, transcript: Transcript): LogEntry[] {
  const entries: LogEntry[] = [];
  replay(plan, transcript, { write: (entry) => entries.push(entry) });
  return entries;
}

/** The log of a plan with the given differences over a transcript or a conversation. */
export function logFor(init: PlanInit, talk: Transcript | Conversation): LogEntry[] {
  return runLog(planOf(init), talk instanceof Conversation ? talk.transcript() : talk);
}

/** The entries of one type. */
export function ofType<T extends LogEntry['type']>(
  entries: readonly LogEntry[],
  type: T,
): Extract<LogEntry, { type: T }>[] {
  return entries.filter((entry): entry is Extract<LogEntry, { type: T }> => entry.type === type);
}

/** The main thread's own requests. */
export function mainRequests(entries: readonly LogEntry[]): RequestEntry[] {
  return ofType(entries, 'request').filter((entry) => entry.purpose === 'main');
}
