import { outputOf } from '../../core/model/output-of.js';
import type { Transcript } from '../../core/model/transcript.js';
import { promptTokens, type Usage } from '../../core/model/usage.js';
import { modelOrUnknown } from '../../provider/prices/models.js';
import { pricesFor, priceUsage } from '../../provider/prices/price.js';
import { cheaperLifetime, type SessionCost } from '../lifetime/lifetime-costs.js';
import { GIVEN, predictRequests } from './predict.js';
import { recordedTruth } from './truth.js';

const NANO = 1e9;
const PER_MILLION = 1e-6;

/**
 * What a recording would have cost with five-minute and with one-hour entries: replayed as it happened by the same walk as
 * `validate`, the breaks that nothing explains given, all else by the client's behaviours. Requests of models without a price are left out. Null without a request that carries usage and has a price.
 */
export function lifetimeChoice(transcript: Transcript): SessionCost | null {
  const truth = recordedTruth(transcript);
  const models = new Set([...truth.byCall.values()].map(({ model }) => model));
  if (![...models].some((model) => modelOrUnknown(model).pricesAreKnown)) return null;
  const found = predictRequests(transcript, truth, GIVEN);
  const breaks = new Set(found.breaks.map(({ request }) => request.key));
  const short = predictRequests(transcript, truth, { breaks, lifetime: '5m' });
  const long = predictRequests(transcript, truth, { breaks, lifetime: '1h' });
  let cost5m = 0;
  let cost1h = 0;
  let premium = 0;
  let rescued = 0;
  let breakEven = 0;
  let calls = 0;
  let unpriced = 0;
  for (const requests of truth.threads.values()) {
    for (const { key, model, call } of requests) {
      const row = modelOrUnknown(model);
      calls++;
      if (!row.pricesAreKnown) {
        unpriced++;
        continue;
      }
      const output = outputOf(call);
      const with5m: Usage = { ...short.predictions.get(key)!.usage, output };
      const with1h: Usage = { ...long.predictions.get(key)!.usage, output };
      cost5m += priceUsage(row, with5m).totalNano;
      cost1h += priceUsage(row, with1h).totalNano;
      const { cacheWrite1h, cacheWrite5m, cacheRead } = pricesFor(row, promptTokens(with1h));
      const more = with1h.cacheWrite1h * (cacheWrite1h - cacheWrite5m);
      premium += more * PER_MILLION;
      rescued += with1h.cacheRead - with5m.cacheRead;
      if (cacheWrite5m > cacheRead) breakEven += more / (cacheWrite5m - cacheRead);
    }
  }
  const difference = (cost1h - cost5m) / NANO;
  return {
    id: transcript.id,
    cost5mUsd: cost5m / NANO,
    cost1hUsd: cost1h / NANO,
    cheaper: cheaperLifetime(difference),
    premiumUsd: premium,
    savedUsd: premium - difference,
    rescuedTokens: rescued,
    breakEvenTokens: Math.round(breakEven),
    calls,
    unpricedCalls: unpriced,
  };
}
