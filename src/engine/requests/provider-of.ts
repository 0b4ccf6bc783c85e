import { type Digest, digestText } from '../../base/digest.js';
import type { ModelRow } from '../../cache/model-row.js';
import { modelsOf as bookOf } from '../../cache/models.js';
import {
  isServedBy,
  knownProvider,
  type ProviderRef,
  plannedProvider,
  providerRegistry,
} from '../../cache/providers.js';
import { SAME_TOKENS } from '../../cache/read-provider.js';
import type { RunPlan } from '../../model/run-plan.js';
import { firstModel, type Transcript } from '../../model/transcript.js';
import type { WarningList } from '../../model/warning.js';

const ANTHROPIC = 'anthropic';

/** The provider of a recording where nothing else names one. */
function recordedProvider(transcript: Transcript): string {
  const { provider } = transcript;
  return provider !== undefined && providerRegistry.has(provider) ? provider : ANTHROPIC;
}

/** The first model of each thread: a sweep asks at every point. */
const firstModels = new WeakMap<Transcript, readonly string[]>();

function modelsOf(plan: RunPlan, transcript: Transcript): readonly string[] {
  let first = firstModels.get(transcript);
  if (first === undefined) {
    first = transcript.threads.flatMap((thread) => firstModel(thread) ?? []);
    firstModels.set(transcript, first);
  }
  return plan.model === null ? first : [plan.model, ...first];
}

/** Whose cache a run goes by: one provider for all requests, or that of each model where several are used. */
export function providerOf(
  plan: RunPlan,
  transcript: Transcript,
): ProviderRef | ((model: ModelRow) => string) {
  const planned = plannedProvider(plan);
  if (planned !== undefined) return planned;
  const assumed = recordedProvider(transcript);
  const models = bookOf(plan);
  const names = new Set(modelsOf(plan, transcript).map((name) => models.find(name)?.provider ?? assumed));
  if (names.size === 1) return [...names][0]!;
  return (model) => (providerRegistry.has(model.provider) ? model.provider : assumed);
}

/** The providers whose caches a run goes by. */
function providersOf(plan: RunPlan, transcript: Transcript): readonly ProviderRef[] {
  const provider = providerOf(plan, transcript);
  if (typeof provider !== 'function') return [provider];
  const assumed = recordedProvider(transcript);
  const models = bookOf(plan);
  return [
    ...new Set(modelsOf(plan, transcript).map((name) => models.find(name)?.provider ?? assumed)),
  ].filter((name) => providerRegistry.has(name));
}

/** Says what is not known of the providers that a run goes by, and that chance was drawn. */
export function tellDoubts(plan: RunPlan, transcript: Transcript, warnings: WarningList): void {
  for (const provider of providersOf(plan, transcript)) tellProvider(provider, plan, transcript, warnings);
}

function tellProvider(
  provider: ProviderRef,
  plan: RunPlan,
  transcript: Transcript,
  warnings: WarningList,
): void {
  const { label, doubts, cache, defaultModel } = knownProvider(provider);
  if (cache.hit !== null)
    warnings.add(
      'chance-drawn',
      `${label}: whether a request finds its cache is chance, and this run is one draw of it`,
      'its interval holds nine of ten draws; other seeds draw again',
    );
  const models = bookOf(plan);
  const isStandIn =
    plan.provider !== undefined &&
    modelsOf(plan, transcript).every((model) => {
      const row = models.find(model);
      return row === null || !isServedBy(provider, row);
    });
  for (const doubt of doubts)
    if (isStandIn || doubt !== SAME_TOKENS) warnings.add('provider-assumption', `${label}: ${doubt}`);
  if (isStandIn)
    warnings.add(
      'model-assumed',
      `${label} serves none of the models of the session: ${defaultModel} stands for them`,
      'name another with model:',
    );
}

/** What requests need to know of the cache: whether chance has a say, whose luck it is, and whether reads end on steps. */
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
