import { BARE_API } from '../../agent/client/clients.generated.js';
import { claudeCodeVersion } from '../../agent/client/recorded-client.js';
import type { Transcript } from '../../core/model/transcript.js';
import type { Usage } from '../../core/model/usage.js';
import { TTL_1H_MS, TTL_5M_MS } from '../../provider/cache/ttl.js';
import type { Prediction, Walk } from './predict.js';
import { planRequests } from './request-plan.js';
import type { RecordedRequest, Truth } from './truth.js';

function lifetimeOf(usage: Usage, beforeMs: number): number {
  if (usage.cacheWrite1h > 0) return TTL_1H_MS;
  return usage.cacheWrite5m > 0 ? TTL_5M_MS : beforeMs;
}

function predictionOf(
  request: RecordedRequest,
  read: number,
  lifetimeMs: number,
  cause: Prediction['cause'],
): Prediction {
  const { output } = request.usage;
  const cacheRead = Math.min(read, request.cached);
  const written = request.cached - cacheRead;
  const long = lifetimeMs === TTL_1H_MS;
  const usage: Usage = {
    input: request.prompt - request.cached,
    cacheRead,
    cacheWrite5m: long ? 0 : written,
    cacheWrite1h: long ? written : 0,
    output,
  };
  return { usage, cause, risk: { chance: 0, cost: 0 } };
}

/**
 * The one-line rule (E7): a request reads the whole cached prefix of the previous one when the gap is within the
 * lifetime of the last write, else what the first request read; after a compaction that too; after a model switch nothing.
 */
export function predictByBaseline(transcript: Transcript, truth: Truth): Walk {
  const predictions = new Map<string, Prediction>();
  for (const thread of transcript.threads) {
    const plans = planRequests(thread, truth, () => BARE_API, claudeCodeVersion(transcript));
    let lifetimeMs = TTL_5M_MS;
    let prefix = 0;
    for (const plan of plans) {
      const { request } = plan;
      const { previous } = request;
      const writtenForMs = lifetimeMs;
      lifetimeMs = lifetimeOf(request.usage, lifetimeMs);
      if (previous === null) {
        prefix = request.read;
        predictions.set(request.key, predictionOf(request, request.read, lifetimeMs, 'first'));
      } else {
        const alive = request.gapMs! <= writtenForMs;
        const compacted = plan.cause === 'compaction' || plan.cause === 'microcompaction';
        const switched = request.model !== previous.model;
        const read = switched ? 0 : compacted || !alive ? prefix : previous.cached;
        const late = writtenForMs === TTL_1H_MS ? 'ttl-1h' : 'ttl-5m';
        const cause = switched ? 'model' : compacted ? plan.cause! : alive ? 'hit' : late;
        predictions.set(request.key, predictionOf(request, read, lifetimeMs, cause));
      }
    }
  }
  return { predictions, breaks: [] };
}
