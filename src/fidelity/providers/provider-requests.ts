import { type CacheRules, onGrain } from '../../cache/cache-rules.js';
import { modelOrUnknown } from '../../cache/models.js';
import { cacheRulesOf } from '../../cache/providers.js';
import type { Transcript } from '../../model/transcript.js';
import type { RecordedRequest, Truth } from '../truth.js';

/** A request of a recording beside what the cache of its provider could have served. */
export interface ProviderRequest {
  readonly request: RecordedRequest;
  readonly rules: CacheRules;
  /** Longest read: the prompt before it, on the provider's steps. */
  readonly reachable: number;
  /** What the first request of the thread read: tools and system prompt that others keep warm. */
  readonly head: number;
  readonly gapMs: number;
  readonly cause: 'hit' | 'compaction' | 'model';
}

/** The requests of each thread but the first, in order; those that a fork copied are left out. */
export function providerRequests(
  transcript: Transcript,
  truth: Truth,
  provider: string,
): readonly ProviderRequest[] {
  const compacted = compactedCalls(transcript);
  const copied = transcript.warnings.find(({ code }) => code === 'copied-calls')?.count ?? 0;
  const found: ProviderRequest[] = [];
  for (const requests of truth.threads.values()) {
    const own = requests.slice(copied);
    const head = own[0]?.read ?? 0;
    for (let i = 1; i < own.length; i++) {
      const request = own[i]!;
      const before = own[i - 1]!;
      const rules = cacheRulesOf(provider, modelOrUnknown(request.model).id);
      const stored = before.prompt + (rules.storesOutput ? before.usage.output : 0);
      const reachable = onGrain(rules, Math.min(stored, request.prompt));
      const isOther = modelOrUnknown(before.model).id !== modelOrUnknown(request.model).id;
      found.push({
        request,
        rules,
        reachable,
        head: Math.min(head, request.prompt),
        gapMs: request.endMs - before.endMs,
        cause: isOther ? 'model' : compacted.has(request.callId) ? 'compaction' : 'hit',
      });
    }
  }
  return found;
}

/** The first call behind each compaction. */
function compactedCalls({ threads }: Transcript): ReadonlySet<string> {
  const calls = new Set<string>();
  for (const { steps } of threads) {
    let isBehind = false;
    for (const step of steps) {
      if (step.kind === 'event' && step.event.kind === 'recorded-compaction') isBehind = true;
      if (step.kind !== 'call' || !isBehind) continue;
      calls.add(step.call.id);
      isBehind = false;
    }
  }
  return calls;
}
