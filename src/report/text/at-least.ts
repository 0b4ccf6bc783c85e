import { formatCount, formatCounted, formatMoney } from '../../core/base/format.js';
import { isUnpriced, type PricedCalls } from '../../core/run/recorded-bill.js';

/** Dollars, `at least` this many where calls have no price, and none where no call has one. */
export function formatAtLeast(usd: number | null, priced: PricedCalls): string {
  if (usd === null || isUnpriced(priced)) return formatMoney(null);
  return `${priced.unpricedCalls > 0 ? 'at least ' : ''}${formatMoney(usd)}`;
}

/** Which part of the calls has no price: `30 of 75 calls are of models without a price`; null where all have one. */
export function unpricedText(
  { calls, unpricedCalls }: PricedCalls,
  of: 'call' | 'request' = 'call',
): string | null {
  if (unpricedCalls === 0) return null;
  if (unpricedCalls === calls) return `no model of the ${formatCounted(calls, of)} has a price`;
  const [verb, models] = unpricedCalls === 1 ? ['is', 'a model'] : ['are', 'models'];
  return `${formatCount(unpricedCalls)} of ${formatCounted(calls, of)} ${verb} of ${models} without a price`;
}
