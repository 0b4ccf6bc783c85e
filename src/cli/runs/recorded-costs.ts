import { formatCount, formatCounted } from '../../core/base/format.js';
import { sum } from '../../core/base/stats.js';
import type { RecordedBill } from '../../core/run/recorded-bill.js';
import { recordedUsd } from '../../metrics/metric.js';
import { AS_RECORDED, billNotes } from '../../report/text/as-recorded.js';

/** What several recordings cost, as far as they carry usage. */
export interface RecordedCosts {
  /** All together; null if no call could be priced. */
  readonly costUsd: number | null;
  readonly each: readonly { readonly name: string; readonly costUsd: number | null }[];
  /** What the costs leave out, and what of them is estimated. */
  readonly notes: readonly string[];
}

/** Adds up what recordings cost; null if none carries usage. */
export function recordedCosts(
  items: readonly { readonly name: string; readonly bill: RecordedBill | null }[],
): RecordedCosts | null {
  const bills = items.flatMap(({ bill }) => bill ?? []);
  if (bills.length === 0) return null;
  const bare = items.length - bills.length;
  const known = bills.flatMap((bill) => recordedUsd(bill) ?? []);
  return {
    costUsd: known.length === 0 ? null : sum(known),
    each: items.map(({ name, bill }) => ({ name, costUsd: bill === null ? null : recordedUsd(bill) })),
    notes: [
      ...billNotes(bills),
      bare > 0 &&
        `${AS_RECORDED}: ${formatCount(bare)} of ${formatCounted(items.length, 'session')} ${bare === 1 ? 'carries' : 'carry'} no usage`,
    ].filter((note) => note !== false),
  };
}
