import { type Digest, digestText } from '../../core/base/digest.js';
import { oncePer } from '../../core/base/once.js';
import { firstModel, type Thread, type Transcript } from '../../core/model/transcript.js';
import type { RunPlan } from '../../core/run/run-plan.js';
import type { ModelRow } from '../../provider/prices/model-row.js';
import { modelsOf } from '../../provider/prices/models.js';
import {
  knownProvider,
  type ProviderRef,
  plannedProvider,
  providerRegistry,
} from '../../provider/providers/providers.js';

const ANTHROPIC = 'anthropic';

/** What of a recording decides whose cache its requests go to. */
export interface RecordedModels {
  /** As its reader names it. */
  readonly provider: string | undefined;
  /** The first model of each thread. */
  readonly models: readonly string[];
  /** Those of agents: a plan's model takes the place of the others. */
  readonly ofAgents: readonly string[];
}

/** The models of a recording; a sweep asks at every point. */
export const recordedModels = oncePer(({ threads, provider }: Transcript): RecordedModels => {
  const modelsOfAll = (all: readonly Thread[]): readonly string[] =>
    all.flatMap((thread) => firstModel(thread) ?? []);
  const agents = threads.filter(({ parentId }) => parentId !== null);
  return { provider, models: modelsOfAll(threads), ofAgents: modelsOfAll(agents) };
});

/** The provider of a recording where nothing else names one. */
function recordedProvider({ provider }: RecordedModels): string {
  return provider !== undefined && providerRegistry.has(provider) ? provider : ANTHROPIC;
}

/** The models that the threads of a run begin with: the recorded ones, or the plan's and those of agents. */
export function firstModels({ model }: RunPlan, { models, ofAgents }: RecordedModels): readonly string[] {
  return model === null ? models : [model, ...ofAgents];
}

/** The providers whose caches a run goes by. */
export function providersOf(plan: RunPlan, recorded: RecordedModels): readonly ProviderRef[] {
  const planned = plannedProvider(plan);
  if (planned !== undefined) return [planned];
  const assumed = recordedProvider(recorded);
  const book = modelsOf(plan);
  const ofModel = (name: string): string => {
    const named = book.find(name)?.provider;
    return named !== undefined && providerRegistry.has(named) ? named : assumed;
  };
  return [...new Set(firstModels(plan, recorded).map(ofModel))];
}

/** Whose cache a run goes by: one provider for all requests, or that of each model where several are used. */
export function providerOf(
  plan: RunPlan,
  transcript: Transcript,
): ProviderRef | ((model: ModelRow) => string) {
  const recorded = recordedModels(transcript);
  const providers = providersOf(plan, recorded);
  if (providers.length === 1) return providers[0]!;
  const assumed = recordedProvider(recorded);
  return (model) => (providerRegistry.has(model.provider) ? model.provider : assumed);
}

/** What requests need to know of the cache: whether chance affects it, whose luck it is, and whether reads end on steps. */
export interface CacheKinds {
  readonly chance: 'drawn' | 'none';
  readonly reads: 'exact' | 'grain';
  /** The session that luck is drawn by, besides the thread. */
  readonly session: Digest;
}

/** What requests of a run need to know of its cache. */
export function cacheKinds(plan: RunPlan, transcript: Transcript): CacheKinds {
  const session = digestText(transcript.id);
  const provider = providerOf(plan, transcript);
  if (typeof provider === 'function') return { chance: 'drawn', reads: 'grain', session };
  const { written, hit, lifetime } = knownProvider(provider).cache;
  const isDrawn = hit !== null || lifetime.tail.length > 0;
  return { chance: isDrawn ? 'drawn' : 'none', reads: written === 'marks' ? 'exact' : 'grain', session };
}
