import { formatCount, formatCounted, formatMoney } from '../../core/base/format.js';
import { isUnpriced, type PricedCalls } from '../../core/run/recorded-bill.js';
import type { PageLayer } from '../page-data/page-data.js';

/** A name in this many characters: the middle goes, as files often differ at their ends. */
export function shortName(name: string, most: number): string {
  if (name.length <= most) return name;
  const tail = Math.floor((most - 1) / 2);
  return `${name.slice(0, most - 1 - tail)}…${name.slice(-tail)}`;
}

/** A path in this many characters: its end says more than its beginning. */
export function shortPath(path: string, most: number): string {
  return path.length <= most ? path : `…${path.slice(path.length - most + 1)}`;
}

/** A difference with its sign; one that is rounded to nothing has none. */
export function formatSigned(value: number | null, format: (size: number) => string): string {
  if (value === null) return formatCount(null);
  const size = format(Math.abs(value));
  if (size === format(0)) return size;
  return `${value < 0 ? '−' : '+'}${size}`;
}

/** A cause of a cache break as people read it: `ttl-5m` stays, `not-readable-yet` becomes `not readable yet`; what is words already stays. */
export function causeWords(cause: string): string {
  return cause.startsWith('ttl-') || cause.includes(' ') ? cause : cause.replaceAll('-', ' ');
}

/** How often a layer acted, and how often it looked and did nothing. */
export function actedText({ acts, declined }: Pick<PageLayer, 'acts' | 'declined'>): string {
  const times = (count: number): string => (count === 1 ? 'once' : `${formatCount(count)} times`);
  const acted = acts === 0 ? 'did not act' : `acted ${times(acts)}`;
  return declined === 0 ? acted : `${acted}, declined ${times(declined)}`;
}

/** Dollars, `at least` this many where calls have no price, and none if no call has one. */
export function formatAtLeast(usd: number | null, priced: PricedCalls): string {
  if (usd === null || isUnpriced(priced)) return formatMoney(null);
  return `${priced.unpricedCalls > 0 ? 'at least ' : ''}${formatMoney(usd)}`;
}

/** Which part of the calls has no price: `30 of 75 calls use models without a price`; null if all have one. */
export function unpricedText(
  { calls, unpricedCalls }: PricedCalls,
  of: 'call' | 'request' = 'call',
): string | null {
  if (unpricedCalls === 0) return null;
  if (unpricedCalls === calls) return `no model of the ${formatCounted(calls, of)} has a price`;
  const [verb, models] = unpricedCalls === 1 ? ['uses', 'a model'] : ['use', 'models'];
  return `${formatCount(unpricedCalls)} of ${formatCounted(calls, of)} ${verb} ${models} without a price`;
}
