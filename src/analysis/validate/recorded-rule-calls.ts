import type { Transcript } from '../../core/model/transcript.js';
import { survival } from '../../provider/cache/cache-rules.js';
import { priceTimes } from '../../provider/prices/price.js';
import { billedUsage } from '../../provider/prices/recorded-bill.js';
import { type Reuse, type RuleCall, readable } from '../lifetime/rule-costs.js';
import { type ProviderRequest, providerRequests } from './providers/provider-requests.js';
import { recordedTruth } from './truth.js';

/**
 * The calls of a recording, for pricing them at other lifetimes. What no lifetime decides is as recorded: first requests, those
 * behind a compaction or of another model than the one before, and reads while every entry lives, short ones too.
 */
export function recordedRuleCalls(transcript: Transcript, provider: string): readonly RuleCall[] {
  const truth = recordedTruth(transcript);
  const requests = new Map(
    providerRequests(transcript, truth, provider).map((each) => [each.request.call, each]),
  );
  const pricedAt = priceTimes(transcript);
  const unread = transcript.carries.includes('cache-writes') ? 'cacheWrite5m' : 'input';
  return transcript.threads.flatMap(({ steps, flow }) =>
    (flow === undefined ? steps : []).flatMap((step): RuleCall[] => {
      if (step.kind !== 'call') return [];
      const usage = billedUsage(step.call);
      if (usage === null) return [];
      const request = requests.get(step.call);
      const { model, startMs } = step.call;
      const reuse = request === undefined ? null : reuseOf(request);
      return [{ model, pricedAtMs: pricedAt(startMs), usage, unread, reuse }];
    }),
  );
}

/** What a request reads if its entry lives: as recorded where the rule has it alive, else all that could be read. */
function reuseOf({ request, rules, reachable, head, gapMs, cause }: ProviderRequest): Reuse | null {
  if (cause !== 'hit') return null;
  const alive = survival(rules.lifetime, gapMs);
  const living = alive === 1 ? request.read : Math.max(request.read, readable(rules, reachable));
  return { gapMs, living, gone: Math.min(request.read, head), alive };
}
