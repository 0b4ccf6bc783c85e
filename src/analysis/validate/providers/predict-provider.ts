import { mean } from '../../../core/base/stats.js';
import { firstModel, type Transcript } from '../../../core/model/transcript.js';
import type { Usage } from '../../../core/model/usage.js';
import type { CacheRules, HitChance } from '../../../core/run/provider.js';
import { chanceOfShort, survival } from '../../../provider/cache/cache-rules.js';
import { findModel } from '../../../provider/prices/models.js';
import { isBestEffort, providerRegistry } from '../../../provider/providers/providers.js';
import { type Comparison, compareRequests } from '../compare.js';
import type { Prediction, UnexplainedBreak, Walk } from '../predict.js';
import type { RecordedRequest, Truth } from '../truth.js';
import { isShort, SessionLuck } from './hit-fit.js';
import { type ProviderRequest, providerRequests, type ServableRequest } from './provider-requests.js';

/** The ways of predicting the requests of a provider, and what its chance is judged by. */
interface ProviderFidelity {
  readonly blind: readonly Comparison[];
  readonly given: readonly Comparison[];
  readonly baseline: readonly Comparison[];
  readonly breaks: readonly UnexplainedBreak[];
  /** Null if nothing is left to chance. */
  readonly chance: readonly ProviderRequest[] | null;
}

/** The provider whose recordings are compared in ways of their own. */
export const ANTHROPIC = 'anthropic';

/** The provider of a recording: that of its first model, else the one the record names. */
export function providerOfRecording(transcript: Transcript): string {
  const model = transcript.threads.map(firstModel).find((name) => name !== null) ?? null;
  const named = model === null ? undefined : findModel(model)?.provider;
  for (const name of [named, transcript.provider])
    if (name !== undefined && providerRegistry.has(name)) return name;
  return ANTHROPIC;
}

/** Predicts the requests of a recording by the rules of its provider. */
export function validateByProvider(transcript: Transcript, truth: Truth, provider: string): ProviderFidelity {
  const requests = providerRequests(transcript, truth, provider);
  const compared = onlyWith(truth, requests);
  const prompts = new Map(requests.map(({ request }) => [request.key, request.prompt]));
  const given = predictByProvider(requests, 'given');
  const compare = (walk: Walk): readonly Comparison[] => compareRequests(compared, walk, prompts);
  return {
    blind: compare(predictByProvider(requests, 'blind')),
    given: compare(given),
    baseline: compare(predictByPrefixRule(requests)),
    breaks: given.breaks,
    chance: isBestEffort(provider) ? requests : null,
  };
}

/** The recorded requests that are predicted, each thread from the one before the first of them on. */
function onlyWith(truth: Truth, requests: readonly ProviderRequest[]): Truth {
  const keys = new Set(requests.map(({ request }) => request.key));
  const threads = new Map<string, readonly RecordedRequest[]>();
  for (const [id, own] of truth.threads) {
    const first = own.findIndex(({ key }) => keys.has(key));
    threads.set(id, first === -1 ? [] : own.slice(first - 1));
  }
  return { ...truth, threads };
}

const NO_RISK: Prediction['risk'] = { chance: 0, cost: 0 };
/** Why less than the prompt before is read where the cache still has it. */
const LIVING_CAUSES = { nothing: 'hit', reasoning: 'reasoning', more: 'shrank' } as const;
/** The one-line rule: how long a prefix is there, and its steps in tokens. */
const BASELINE_MS = 600_000;
const BASELINE_STEP = 128;

function usageOf({ prompt, usage }: ServableRequest['request'], read: number): Usage {
  const cacheRead = Math.min(Math.round(read), prompt);
  const written = usage.cacheWrite5m > 0 ? prompt - cacheRead : 0;
  return {
    input: prompt - cacheRead - written,
    cacheRead,
    cacheWrite5m: written,
    cacheWrite1h: 0,
    output: usage.output,
  };
}

function predictionOf(
  { request, gapMs, rules, cause, dropped }: ServableRequest,
  read: number,
  likely: number,
): Prediction {
  const late = survival(rules.lifetime, gapMs) < 0.5;
  const living = LIVING_CAUSES[dropped];
  return {
    usage: usageOf(request, read),
    likelyRead: likely,
    cause: cause !== 'hit' ? cause : late ? 'lifetime' : living,
    risk: NO_RISK,
  };
}

/** What a request reads on average, and what it most likely reads. */
function expectedRead(
  each: ServableRequest,
  hit: HitChance | null,
  factor: number,
): { readonly mean: number; readonly likely: number } {
  const { rules, reachable, head, gapMs, cause } = each;
  if (cause === 'model') return { mean: 0, likely: 0 };
  if (cause === 'compaction') return { mean: head, likely: head };
  const alive = survival(rules.lifetime, gapMs);
  const gone = Math.min(head, reachable);
  const short = hit === null ? 0 : chanceOfShort(hit, gapMs, factor);
  const left = hit === null ? 0 : mean(hit.partial)! * reachable;
  const found = (1 - short) * reachable + short * left;
  const isLikely = alive * (1 - short) >= 0.5;
  return { mean: alive * found + (1 - alive) * gone, likely: isLikely ? reachable : gone };
}

/**
 * Predicts every request from those before it: what chance decides is expected on average, and what a session has shown so far of
 * its luck is learnt. `given` takes reads that came up short without a reason from the record.
 */
export function predictByProvider(requests: readonly ProviderRequest[], mode: 'blind' | 'given'): Walk {
  const { predictions, unforeseen } = predictReads(requests, mode);
  const breaks = unforeseen.map((i) => {
    const { request, reachable } = requests[i]!;
    return { request, expectedRead: reachable, reason: null };
  });
  return { predictions, breaks };
}

/** The same without the recording at hand: the predictions, and the places of requests that came up short without a reason. */
export function predictReads(
  requests: readonly ServableRequest[],
  mode: 'blind' | 'given',
  hitOf: (rules: CacheRules) => HitChance | null = ({ hit }) => hit,
): { readonly predictions: Walk['predictions']; readonly unforeseen: readonly number[] } {
  const predictions = new Map<string, Prediction>();
  const unforeseen: number[] = [];
  const luck = new SessionLuck();
  for (const [i, each] of requests.entries()) {
    const { request, rules, reachable, gapMs, cause } = each;
    const hit = hitOf(rules);
    const { mean, likely } = expectedRead(each, hit, luck.factor);
    const isUnforeseen = cause === 'hit' && likely === reachable && isShort(each);
    if (isUnforeseen) unforeseen.push(i);
    const isGiven = mode === 'given' && (isUnforeseen || (cause === 'hit' && !isShort(each)));
    const read = isGiven ? (isUnforeseen ? request.read : reachable) : mean;
    predictions.set(request.key, predictionOf(each, read, isGiven ? read : likely));
    if (hit !== null) luck.learn(each, chanceOfShort(hit, gapMs, 1));
  }
  return { predictions, unforeseen };
}

/** The one-line rule: the previous prompt rounded down to 128 tokens, if it is not ten minutes old. */
function predictByPrefixRule(requests: readonly ServableRequest[]): Walk {
  const predictions = new Map<string, Prediction>();
  for (const each of requests) {
    const step = Math.floor(each.promptBefore / BASELINE_STEP) * BASELINE_STEP;
    const read = each.gapMs < BASELINE_MS ? Math.min(step, each.request.prompt) : 0;
    predictions.set(each.request.key, predictionOf(each, read, read));
  }
  return { predictions, breaks: [] };
}
