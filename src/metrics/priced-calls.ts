import { sum } from '../core/base/stats.js';
import type { PricedCalls } from '../core/run/priced-calls.js';
import type { RunFacts } from './facts.js';

/** The code of the warning that counts answered requests whose model has no price. */
const NO_PRICE = 'no-price';

/** How many answered requests the cost of a run is of, and how many of them have no price. */
export function pricedCalls({ requests, warnings }: Pick<RunFacts, 'requests' | 'warnings'>): PricedCalls {
  const unpriced = warnings.filter(({ code }) => code === NO_PRICE).map(({ count }) => count);
  return { calls: requests.calls, unpricedCalls: sum(unpriced) };
}
