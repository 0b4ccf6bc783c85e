import { largestPrompt } from '../../../agent/client/window.js';
import { NO_POLICY } from '../../../agent/policies/own-policy.js';
import { type Clearing, clearingBreakEven } from '../../../analysis/lifetime/rule-costs.js';
import { providerOfRecording } from '../../../analysis/validate/providers/predict-provider.js';
import { changedPlan } from '../../../analysis/what-if.js';
import type { Transcript } from '../../../core/model/transcript.js';
import { compactionsIn } from '../../../core/model/transcript.js';
import type { Provider } from '../../../core/run/provider.js';
import type { LogEntry } from '../../../core/run/run-log.js';
import type { RunPlan } from '../../../core/run/run-plan.js';
import { windowUnder } from '../../../engine/requests/thread-model.js';
import { replay } from '../../../engine/run/replay.js';
import { completionOf } from '../../../metrics/facts.js';
import { createMetricsFold } from '../../../metrics/fold.js';
import { heldNano } from '../../../metrics/metric.js';
import { metricValues } from '../../../metrics/registry.js';
import { modelOrUnknown } from '../../../provider/prices/models.js';
import {
  billedBy,
  cacheRulesOf,
  isBestEffort,
  providerRegistry,
} from '../../../provider/providers/providers.js';

/** One session under one provider. */
export interface ProviderReplay {
  readonly facts: ProviderFacts;
  readonly policy: string;
  readonly costUsd: number;
  /** The part of it for requests that the recording holds too. */
  readonly heldUsd: number;
  /** The 90 % interval of such sessions; null if nothing is left to chance. */
  readonly costLowUsd: number | null;
  readonly costHighUsd: number | null;
  /** Whether a request finds its cache is chance here, so that cost and hit rate are one draw of it; where it was recorded, chance is known. */
  readonly isDraw: boolean;
  /** The recording is of this provider: its cost is shown next to the replay. */
  readonly isOwn: boolean;
  readonly hitRate: number | null;
  readonly requests: number;
  readonly requestsRefused: number;
  /** Calls of the session, how many of them were not answered, and whether all were. */
  readonly calls: number;
  readonly callsLost: number;
  readonly finished: boolean;
  /** The window of the recording where it was held; null for that of the model. */
  readonly window: number | null;
  readonly compactions: number;
  /** Compactions of the recording that the run did not make: its prompts are longer than they were. */
  readonly compactionsUndone: number;
}

const NANO = 1e9;

/** The plan of a recording, with its window under every other provider; only recordings of Claude Code have lifetimes. */
function planOf(transcript: Transcript, isOwn: boolean): RunPlan {
  const own = changedPlan(transcript);
  const plan = { ...own, window: isOwn ? null : heldWindow(own, transcript) };
  if (transcript.source === 'claude-code') return plan;
  return { ...plan, cache: { mode: 'on', ttl: '5m', subagentTtl: '5m', fade: 'off' } };
}

/**
 * The window that the client of a recording went by: in that of another model its compactions would come elsewhere, and the prompts would be
 * others. Null if no policy goes by it, or the recording itself went beyond it.
 */
function heldWindow(plan: RunPlan, transcript: Transcript): number | null {
  if (plan.policy.name === NO_POLICY) return null;
  const windows = transcript.threads.map((thread) => ({
    held: windowUnder(plan, thread, transcript),
    largest: largestPrompt(thread),
  }));
  const [main] = windows;
  return main === undefined || windows.some(({ largest }) => largest > main.held) ? null : main.held;
}

/** Compactions that the policy of a recording decided on; those by hand happen in every run. */
function automaticCompactions({ threads }: Transcript): number {
  return compactionsIn(threads).filter(({ trigger }) => trigger === 'auto').length;
}

/** Replays a session under a provider, with the model that its requests go to there. */
export function replayUnder(provider: Provider, transcript: Transcript, clearing: Clearing): ProviderReplay {
  const fold = createMetricsFold();
  let model: string | null = null;
  const { name } = provider;
  const own = providerRegistry.has(name) ? {} : { ownProvider: provider };
  const isOwn = name === providerOfRecording(transcript);
  const plan = { ...planOf(transcript, isOwn), provider: name, ...own };
  replay(plan, transcript, {
    write(entry: LogEntry) {
      fold.write(entry);
      if (entry.type === 'request') model ??= entry.model;
    },
  });
  const run = fold.finish();
  const { cost, requests, requestsRefused } = run;
  const { calls, lost, finished } = completionOf(run);
  const { costLowUsd, costHighUsd, compactions } = metricValues(run);
  return {
    facts: providerFacts(provider, clearing, model ?? provider.defaultModel),
    policy: plan.policy.name,
    costUsd: cost.total / NANO,
    heldUsd: heldNano(cost, run.run?.transcript.recorded) / NANO,
    costLowUsd: costLowUsd ?? null,
    costHighUsd: costHighUsd ?? null,
    isDraw: isBestEffort(provider) && !isOwn,
    isOwn,
    hitRate: requests.promptTokens === 0 ? null : requests.readTokens / requests.promptTokens,
    requests: requests.calls,
    requestsRefused,
    calls,
    callsLost: lost,
    finished,
    window: plan.window ?? heldWindow(plan, transcript),
    compactions: compactions ?? 0,
    compactionsUndone: plan.policy.name === NO_POLICY ? automaticCompactions(transcript) : 0,
  };
}

/** What is known of a provider's cache, with the prices of one of its models as shares of input. */
export interface ProviderFacts extends Pick<Provider, 'name' | 'label' | 'cache' | 'doubts' | 'source'> {
  readonly model: string;
  /** The model's own where its row has one; null if unknown. */
  readonly minimumTokens: number | null;
  /** Dollars per million tokens, and shares of them; null if the model is in no table. */
  readonly input: number | null;
  readonly write: number | null;
  readonly read: number | null;
  /** Further requests until clearing pays; null if it never does, or the prices are unknown. */
  readonly breakEvenRequests: number | null;
}

/** The facts of a provider for one of its models; without one, for the model that represents it. */
export function providerFacts(provider: Provider, clearing: Clearing, model?: string): ProviderFacts {
  const { name, label, defaultModel, doubts, source } = provider;
  const row = billedBy(provider, modelOrUnknown(model ?? defaultModel));
  const cache = cacheRulesOf(provider, row.id);
  const { input, cacheRead, cacheWrite5m } = row.pricesPerMTok;
  return {
    name,
    label,
    model: row.id,
    cache,
    minimumTokens: row.minCacheableTokens > 0 ? row.minCacheableTokens : cache.minimum,
    input: row.pricesAreKnown ? input : null,
    write: row.pricesAreKnown ? cacheWrite5m / input : null,
    read: row.pricesAreKnown ? cacheRead / input : null,
    breakEvenRequests: row.pricesAreKnown ? clearingBreakEven(row.pricesPerMTok, clearing) : null,
    doubts,
    source,
  };
}
