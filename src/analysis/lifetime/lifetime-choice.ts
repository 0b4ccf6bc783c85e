import type { Transcript } from '../../core/model/transcript.js';
import { usd } from '../../metrics/metric.js';
import { modelOrUnknown } from '../../provider/prices/models.js';
import { pricesFor } from '../../provider/prices/price.js';
import { priceTimes } from '../../provider/prices/price-days.js';
import { changedPlan, runChanged } from '../what-if.js';
import { cheaperLifetime, type SessionCost } from './lifetime-costs.js';

const PER_MILLION = 1e-6;

/** What entries of one lifetime make of a session. */
interface AtLifetime {
  readonly costNano: number;
  readonly readTokens: number;
  readonly premiumUsd: number;
  readonly breakEvenTokens: number;
  readonly calls: number;
  readonly unpricedCalls: number;
}

function runAt(transcript: Transcript, lifetime: '5m' | '1h'): AtLifetime {
  let readTokens = 0;
  let premiumUsd = 0;
  let breakEvenTokens = 0;
  let calls = 0;
  let unpricedCalls = 0;
  const pricedAt = priceTimes(transcript);
  const facts = runChanged(changedPlan(transcript, { lifetime }), transcript, {
    hear: (entry) => {
      if (entry.type !== 'request') return;
      readTokens += entry.read;
      const row = modelOrUnknown(entry.model);
      if (entry.purpose === 'main' || entry.purpose === 'subagent') {
        calls++;
        if (!row.pricesAreKnown) unpricedCalls++;
      }
      if (!row.pricesAreKnown) return;
      const { cacheWrite1h, cacheWrite5m, cacheRead } = pricesFor(row, entry.prompt, pricedAt(entry.t));
      const more = entry.write1h * (cacheWrite1h - cacheWrite5m);
      premiumUsd += more * PER_MILLION;
      if (cacheWrite5m > cacheRead) breakEvenTokens += more / (cacheWrite5m - cacheRead);
    },
  });
  return { costNano: facts.cost.total, readTokens, premiumUsd, breakEvenTokens, calls, unpricedCalls };
}

/**
 * What a recording would have cost with five-minute and with one-hour entries, by the same run that `compare` makes: as it happened but for
 * the lifetime. Null without a request that carries usage and has a price.
 */
export function lifetimeChoice(transcript: Transcript): SessionCost | null {
  const isPriced = transcript.threads.some(({ steps }) =>
    steps.some(
      (step) =>
        step.kind === 'call' && step.call.usage !== null && modelOrUnknown(step.call.model).pricesAreKnown,
    ),
  );
  if (!isPriced) return null;
  const short = runAt(transcript, '5m');
  const long = runAt(transcript, '1h');
  const difference = usd(long.costNano - short.costNano);
  return {
    id: transcript.id,
    cost5mUsd: usd(short.costNano),
    cost1hUsd: usd(long.costNano),
    cheaper: cheaperLifetime(difference),
    premiumUsd: long.premiumUsd,
    savedUsd: long.premiumUsd - difference,
    rescuedTokens: long.readTokens - short.readTokens,
    breakEvenTokens: Math.round(long.breakEvenTokens),
    calls: long.calls,
    unpricedCalls: long.unpricedCalls,
  };
}
