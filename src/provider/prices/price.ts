import { dayStartMs } from '../../core/base/clock.js';
import type { Transcript } from '../../core/model/transcript.js';
import { promptTokens, type Usage } from '../../core/model/usage.js';
import type { OtherPrices } from '../../core/run/recorded-bill.js';
import type { EarlierPrices, ModelRow, PricePeriod, Prices } from './model-row.js';

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

/** That a model does not have its newest prices at a moment, or none are known of it; null if it has them. */
export function otherPrices(row: ModelRow, atMs: number): Pick<OtherPrices, 'kind' | 'day'> | null {
  if (atMs === NEWEST || (row.from === null && row.earlier.length === 0)) return null;
  const first = row.earlier[0] ?? row;
  if (first.from !== null && atMs < dayStartMs(first.from)!) return { kind: 'first', day: first.from };
  const period = pricesAt(row, atMs);
  return 'until' in period ? { kind: 'earlier', day: (period as EarlierPrices).until } : null;
}

/** What one request cost, in whole billionths of a dollar; the parts add up to the total exactly (INV-5). */
export interface Cost {
  readonly inputNano: number;
  readonly cacheReadNano: number;
  readonly cacheWrite5mNano: number;
  readonly cacheWrite1hNano: number;
  readonly outputNano: number;
  readonly totalNano: number;
}

/** A cost of nothing. */
export const NO_COST: Cost = Object.freeze({
  inputNano: 0,
  cacheReadNano: 0,
  cacheWrite5mNano: 0,
  cacheWrite1hNano: 0,
  outputNano: 0,
  totalNano: 0,
});

/** The prices of a moment for a prompt of this length; a step reprices the whole request. */
export function pricesFor(row: ModelRow, prompt: number, atMs: number): Prices {
  return ofLength(pricesAt(row, atMs), prompt);
}

function ofLength({ pricesPerMTok, priceSteps }: PricePeriod, prompt: number): Prices {
  let prices = pricesPerMTok;
  for (const step of priceSteps) if (prompt > step.overPromptTokens) prices = step.prices;
  return prices;
}

/** One dollar per million tokens is 1,000 billionths a token; prices count to a hundred-thousandth of a dollar. */
function part(tokens: number, dollarsPerMTok: number): number {
  return Math.round((tokens * Math.round(dollarsPerMTok * 100_000)) / 100);
}

/** The price of one request at a moment; each part is rounded once to a billionth, the total is their sum. */
export function priceUsage(row: ModelRow, usage: Usage, atMs: number): Cost {
  const prices = pricesFor(row, promptTokens(usage), atMs);
  const inputNano = part(usage.input, prices.input);
  const cacheReadNano = part(usage.cacheRead, prices.cacheRead);
  const cacheWrite5mNano = part(usage.cacheWrite5m, prices.cacheWrite5m);
  const cacheWrite1hNano = part(usage.cacheWrite1h, prices.cacheWrite1h);
  const outputNano = part(usage.output, prices.output);
  return new CostParts(inputNano, cacheReadNano, cacheWrite5mNano, cacheWrite1hNano, outputNano);
}

/** What more a request costs if some of the tokens it read from the cache have to be written instead. */
export function rewriteNano(
  row: ModelRow,
  usage: Usage,
  tokens: number,
  lives: 'cacheWrite5m' | 'cacheWrite1h',
  atMs: number,
): number {
  const prices = pricesFor(row, promptTokens(usage), atMs);
  const read = usage.cacheRead;
  const written = usage[lives];
  const writing = part(written + tokens, prices[lives]) - part(written, prices[lives]);
  return writing - (part(read, prices.cacheRead) - part(read - tokens, prices.cacheRead));
}

/**
 * A cost by its parts. A class: V8 keeps small and large whole numbers differently, and objects of a literal changed their hidden
 * class one by one when they were first read.
 */
class CostParts implements Cost {
  constructor(
    readonly inputNano: number,
    readonly cacheReadNano: number,
    readonly cacheWrite5mNano: number,
    readonly cacheWrite1hNano: number,
    readonly outputNano: number,
    readonly totalNano = inputNano + cacheReadNano + cacheWrite5mNano + cacheWrite1hNano + outputNano,
  ) {}
}

/** What requests with this usage cost without their output, whatever part of the uncached input is read from the cache instead. */
export function priceByRead(row: ModelRow, usage: Usage, atMs: number): (cacheRead: number) => number {
  const whole = promptTokens(usage);
  const prices = pricesFor(row, whole, atMs);
  const open = usage.input + usage.cacheRead;
  const { cacheWrite5mNano, cacheWrite1hNano } = priceUsage(row, usage, atMs);
  const fixedNano = cacheWrite5mNano + cacheWrite1hNano;
  return (cacheRead) => part(open - cacheRead, prices.input) + part(cacheRead, prices.cacheRead) + fixedNano;
}

/** The sum of two costs, part by part. */
export function addCost(a: Cost, b: Cost): Cost {
  return new CostParts(
    a.inputNano + b.inputNano,
    a.cacheReadNano + b.cacheReadNano,
    a.cacheWrite5mNano + b.cacheWrite5mNano,
    a.cacheWrite1hNano + b.cacheWrite1hNano,
    a.outputNano + b.outputNano,
  );
}
