import { sum } from '../../core/base/stats.js';
import { TTL_1H_MS } from '../../provider/cache/ttl.js';
import { modelOrUnknown } from '../../provider/prices/models.js';
import { pricesFor } from '../../provider/prices/price.js';
import type { Truth } from '../validate/truth.js';
import { type AttributedRequest, type PaidPart, PER_TOKEN_NANO } from './attribute.js';

/** What entries of an hour would have kept of a request's cost, and what they would have added to it; nano-dollars. */
interface HourOutcome {
  readonly keptNano: number;
  readonly premiumNano: number;
}

/** True for content that an entry of an hour would still have held. */
function isRescued({ cause }: PaidPart, { gapMs, isBrokenAnyway }: AttributedRequest): boolean {
  return cause === 'lifetime-5m' && gapMs! <= TTL_1H_MS && !isBrokenAnyway;
}

function hourOutcome(request: AttributedRequest, truth: Truth): HourOutcome {
  const { threadId, number, model, prompt, parts } = request;
  const { cacheRead, cacheWrite5m, cacheWrite1h } = pricesFor(modelOrUnknown(model), prompt);
  const rescued = parts.filter((part) => isRescued(part, request));
  const tokens = sum(rescued.map(({ written }) => written));
  const nano = sum(rescued.map((part) => part.nano));
  const short = truth.threads.get(threadId)![number - 1]!.usage.cacheWrite5m;
  return {
    keptNano: Math.max(0, nano - Math.round(tokens * cacheRead * PER_TOKEN_NANO)),
    premiumNano: Math.round(Math.max(0, short - tokens) * (cacheWrite1h - cacheWrite5m) * PER_TOKEN_NANO),
  };
}

/**
 * What was avoidable of a session's 5-minute breaks, by the remedy that keeps more of them: `/compact` before each, as attributed,
 * or a 1-hour lifetime, whose dearer writes in the whole session are taken off, each break bearing its part of them.
 */
export function withBetterRemedy(
  requests: readonly AttributedRequest[],
  truth: Truth,
): readonly AttributedRequest[] {
  const outcomes = requests.map((request) => hourOutcome(request, truth));
  const kept = sum(outcomes.map(({ keptNano }) => keptNano));
  const net = kept - sum(outcomes.map(({ premiumNano }) => premiumNano));
  const compacted = sum(
    requests.flatMap((request) =>
      request.parts.filter((part) => isRescued(part, request)).map(({ avoidableNano }) => avoidableNano),
    ),
  );
  if (net <= compacted) return requests;
  return requests.map((request, i) => ({
    ...request,
    parts: request.parts.map((part) =>
      isRescued(part, request)
        ? { ...part, avoidableNano: Math.round((outcomes[i]!.keptNano * net) / kept) }
        : part,
    ),
  }));
}
