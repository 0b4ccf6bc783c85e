import { firstModel, type Transcript } from '../../../core/model/transcript.js';
import { findModel } from '../../../provider/prices/models.js';
import { isBestEffort, providerRegistry } from '../../../provider/providers/providers.js';
import { type Comparison, compareRequests } from '../compare.js';
import type { UnexplainedBreak, Walk } from '../predict.js';
import type { RecordedRequest, Truth } from '../truth.js';
import { predictByPrefixRule, predictByProvider } from './predict-provider.js';
import { type ProviderRequest, providerRequests } from './provider-requests.js';

/** The ways of predicting the requests of a provider, and what its chance is judged by. */
export interface ProviderFidelity {
  readonly blind: readonly Comparison[];
  readonly given: readonly Comparison[];
  readonly baseline: readonly Comparison[];
  readonly breaks: readonly UnexplainedBreak[];
  /** Null where nothing is left to chance. */
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
