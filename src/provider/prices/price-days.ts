import { dayStartMs } from '../../core/base/clock.js';
import type { Transcript } from '../../core/model/transcript.js';
import type { OtherPrices } from '../../core/run/recorded-bill.js';
import type { EarlierPrices, ModelRow, PricePeriod } from './model-row.js';

/** The moment of a request that has no day: a generated session, a trace. It has the newest prices. */
export const NEWEST = Number.POSITIVE_INFINITY;

/** When a request that starts at this time of its session takes place, ms since 1970. */
export type PriceTimes = (startMs: number) => number;

/** When the requests of a transcript take place: on their own day, or all on the day whose prices the user asks for. */
export function priceTimes(
  { startedAtMs, priceDay }: Pick<Transcript, 'startedAtMs' | 'priceDay'>,
  plan: { readonly priceDay?: string | undefined } = {},
): PriceTimes {
  const day = plan.priceDay ?? priceDay;
  const forced = day === undefined ? null : dayStartMs(day);
  if (forced !== null) return () => forced;
  return startedAtMs === null ? () => NEWEST : (startMs) => startedAtMs + startMs;
}

/** By period: its end as a moment; a run asks for every request. */
const ends = new WeakMap<EarlierPrices, number>();

function endMs(period: EarlierPrices): number {
  const known = ends.get(period) ?? dayStartMs(period.until)!;
  ends.set(period, known);
  return known;
}

/** The prices of a model at a moment. Before the first known day they are those of that day. */
export function pricesAt(row: ModelRow, atMs: number): PricePeriod {
  if (atMs === NEWEST) return row;
  for (const period of row.earlier) if (atMs < endMs(period)) return period;
  return row;
}

/** That a model does not have its newest prices at a moment, or none are known of it; null where it has them. */
export function otherPrices(row: ModelRow, atMs: number): Pick<OtherPrices, 'kind' | 'day'> | null {
  if (atMs === NEWEST || (row.from === null && row.earlier.length === 0)) return null;
  const first = row.earlier[0] ?? row;
  if (first.from !== null && atMs < dayStartMs(first.from)!) return { kind: 'first', day: first.from };
  const period = pricesAt(row, atMs);
  return 'until' in period ? { kind: 'earlier', day: (period as EarlierPrices).until } : null;
}
