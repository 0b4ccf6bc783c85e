import type { Amount, CachePlan } from '../../core/run/run-plan.js';
import { DEFAULT_FAKE_LLM } from '../../provider/llm/fake-plan.js';
import { DEFAULT_MODEL } from '../../transcripts/synthetic/spec.js';

/** What every optional key of a scenario is unless somebody says otherwise. */
export interface ScenarioDefaults {
  readonly description: string;
  readonly seed: number;
  readonly model: string | null;
  readonly window: number | null;
  readonly policy: string;
  readonly cache: CachePlan;
  readonly timing: 'recorded' | 'think-time';
  readonly estimatorFactor: number;
  readonly summaryTokens: Amount;
  readonly scratchpadTokens: Amount;
  readonly notesTokens: Amount;
  readonly latencyScale: number;
}

const PREFERRED_POLICY = 'claude-code/2026';
const PLAIN_POLICY = 'none';

/** The policy of a scenario that names none. */
export function defaultPolicy(names: readonly string[]): string {
  return names.includes(PREFERRED_POLICY) ? PREFERRED_POLICY : PLAIN_POLICY;
}

/** All defaults, in one place; a recording answers for its own model and lifetimes, a generated session cannot. */
export function scenarioDefaults(
  kind: 'file' | 'synthetic',
  policyNames: readonly string[],
): ScenarioDefaults {
  const ttl = kind === 'file' ? 'recorded' : '5m';
  return {
    description: '',
    seed: 1,
    model: kind === 'file' ? null : DEFAULT_MODEL,
    window: null,
    policy: defaultPolicy(policyNames),
    cache: { mode: 'on', ttl, subagentTtl: ttl, fade: 'client' },
    timing: 'recorded',
    estimatorFactor: 1,
    ...DEFAULT_FAKE_LLM,
  };
}
