import type { Clearing } from '../../../cache/clearing-break-even.js';
import { providerRegistry } from '../../../cache/providers.js';
import { replay } from '../../../engine/run/replay.js';
import { forwardPlan } from '../../../fidelity/forward.js';
import { completionOf } from '../../../metrics/completion.js';
import { createMetricsFold } from '../../../metrics/fold.js';
import type { Provider } from '../../../model/provider.js';
import type { LogEntry } from '../../../model/run-log.js';
import type { RunPlan } from '../../../model/run-plan.js';
import type { Transcript } from '../../../model/transcript.js';
import { type ProviderFacts, providerFacts } from './provider-facts.js';

/** One session under one provider. */
export interface ProviderReplay {
  readonly facts: ProviderFacts;
  readonly policy: string;
  readonly costUsd: number;
  readonly hitRate: number | null;
  readonly requests: number;
  readonly requestsRefused: number;
  /** Calls of the session, how many of them were not answered, and whether all were. */
  readonly calls: number;
  readonly callsLost: number;
  readonly finished: boolean;
  /** Compactions of the recording that the run did not make: its prompts are longer than they were. */
  readonly compactionsUndone: number;
}

const NANO = 1e9;

/** The plan of a recording; lifetimes are told by those of Claude Code alone. */
function planOf(transcript: Transcript): RunPlan {
  const plan = forwardPlan(transcript);
  if (transcript.source === 'claude-code') return plan;
  return { ...plan, cache: { mode: 'on', ttl: '5m', subagentTtl: '5m', fade: 'off' } };
}

/** Compactions that the policy of a recording decided on; those by hand happen in every run. */
function automaticCompactions({ threads }: Transcript): number {
  return threads
    .flatMap(({ steps }) => steps)
    .filter(
      (step) =>
        step.kind === 'event' && step.event.kind === 'recorded-compaction' && step.event.trigger === 'auto',
    ).length;
}

/** Replays a session under a provider, with the model that its requests go to there. */
export function replayUnder(provider: Provider, transcript: Transcript, clearing: Clearing): ProviderReplay {
  const fold = createMetricsFold();
  let model: string | null = null;
  const { name } = provider;
  const own = providerRegistry.has(name) ? {} : { ownProvider: provider };
  const plan = { ...planOf(transcript), provider: name, ...own };
  replay(plan, transcript, {
    write(entry: LogEntry) {
      fold.write(entry);
      if (entry.type === 'request') model ??= entry.model;
    },
  });
  const run = fold.finish();
  const { cost, requests, requestsRefused } = run;
  const { calls, lost, finished } = completionOf(run);
  return {
    facts: providerFacts(provider, clearing, model ?? provider.defaultModel),
    policy: plan.policy.name,
    costUsd: cost.total / NANO,
    hitRate: requests.promptTokens === 0 ? null : requests.readTokens / requests.promptTokens,
    requests: requests.calls,
    requestsRefused,
    calls,
    callsLost: lost,
    finished,
    compactionsUndone: plan.policy.name === 'none' ? automaticCompactions(transcript) : 0,
  };
}
