import { type Digest, digestText } from '../../base/digest.js';
import type { ModelRow } from '../../cache/model-row.js';
import { findModel } from '../../cache/models.js';
import { isServedBy, providerRegistry, SAME_TOKENS } from '../../cache/providers.js';
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
export function providerOf(plan: RunPlan, transcript: Transcript): string | ((model: ModelRow) => string) {
  if (plan.provider !== undefined) return plan.provider;
  const assumed = recordedProvider(transcript);
  const names = new Set(modelsOf(plan, transcript).map((name) => findModel(name)?.provider ?? assumed));
  if (names.size === 1) return [...names][0]!;
  return (model) => (providerRegistry.has(model.provider) ? model.provider : assumed);
}

/** The providers whose caches a run goes by. */
function providersOf(plan: RunPlan, transcript: Transcript): readonly string[] {
  const provider = providerOf(plan, transcript);
  if (typeof provider === 'string') return [provider];
  const assumed = recordedProvider(transcript);
  return [...new Set(modelsOf(plan, transcript).map((name) => findModel(name)?.provider ?? assumed))].filter(
    (name) => providerRegistry.has(name),
  );
}

/** Says what is not known of the providers that a run goes by, and that chance was drawn. */
export function tellDoubts(plan: RunPlan, transcript: Transcript, warnings: WarningList): void {
  for (const name of providersOf(plan, transcript)) tellProvider(name, plan, transcript, warnings);
}

function tellProvider(name: string, plan: RunPlan, transcript: Transcript, warnings: WarningList): void {
  const { label, doubts, cache, defaultModel } = providerRegistry.get(name);
  if (cache.hit !== null)
    warnings.add(
      'chance-drawn',
      `${label}: whether a request finds its cache is chance, and this run is one draw of it`,
      'its interval holds nine of ten draws; other seeds draw again',
    );
  const isStandIn = modelsOf(plan, transcript).every((model) => {
    const row = findModel(model);
    return row === null || !isServedBy(name, row);
  });
  for (const doubt of doubts)
    if (isStandIn || doubt !== SAME_TOKENS) warnings.add('provider-assumption', `${label}: ${doubt}`);
  if (plan.provider !== undefined && isStandIn)
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
  if (typeof provider !== 'string') return { chance: 'drawn', reads: 'grain', session };
  const { written, hit, lifetime } = providerRegistry.get(provider).cache;
  const isDrawn = hit !== null || lifetime.tail.length > 0;
  return { chance: isDrawn ? 'drawn' : 'none', reads: written === 'marks' ? 'exact' : 'grain', session };
}
