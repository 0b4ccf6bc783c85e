import { policyRegistry } from '../../../agent/policies/catalogue.js';
import { planPolicy } from '../../../agent/policies/plan-policy.js';
import type { Transcript } from '../../../core/model/transcript.js';
import type { LogSink } from '../../../core/run/run-log.js';
import type { RunPlan } from '../../../core/run/run-plan.js';
import { generateTranscript } from '../../../transcripts/synthetic/generate-transcript.js';

/** A plan for timing: fixed answers, no faults; `set` changes parameters of its policy. */
export function benchPlan(
  policy: string,
  cache: 'on' | 'off' = 'on',
  set: Readonly<Record<string, unknown>> = {},
): RunPlan {
  return {
    name: `bench ${policy}`,
    seed: 1,
    model: null,
    window: null,
    policy: planPolicy(policyRegistry.get(policy), set),
    cache: { mode: cache, ttl: '5m', subagentTtl: '5m', fade: 'off' },
    timing: 'recorded',
    estimatorFactor: 1,
    llm: {
      fake: {
        summaryTokens: { fixed: 5_000 },
        scratchpadTokens: { fixed: 900 },
        notesTokens: { fixed: 1_500 },
        latencyScale: 1,
      },
      faults: [],
    },
  };
}

/** A generated session of this many turns. */
export function benchTranscript(turns: number): Transcript {
  return generateTranscript({ workload: 'refactor', turns, seed: 1, model: 'claude-sonnet-4-5' });
}

/** A sink that keeps nothing. */
export const NOWHERE: LogSink = { write() {} };
