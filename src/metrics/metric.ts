import type { MetricUnit } from '../core/base/format.js';
import { ratio, sum } from '../core/base/stats.js';
import { promptTokens } from '../core/model/usage.js';
import { isUnpriced, type PricedCalls, type RecordedBill } from '../core/run/recorded-bill.js';
import { CALL_PURPOSES, type CallPurpose } from '../core/run/run-plan.js';
import type { RunFacts } from './facts.js';

/** A number about a run, by name. */
export interface Metric {
  readonly name: string;
  readonly unit: MetricUnit;
  /** The better direction; null if neither is. */
  readonly better: 'lower' | 'higher' | null;
  readonly help: string;
  /** null = the run has no data for it. */
  value(facts: RunFacts): number | null;
}

/** A group of metrics under one name, each with a key: `costByCause.carry`. */
export interface MetricFamily {
  readonly name: string;
  readonly better: 'lower' | 'higher' | null;
  /** What represents the key in the documentation, e.g. `<cause>`. */
  readonly keyName: string;
  readonly help: string;
  /** The keys there are; null when they come from the run. */
  readonly keys: readonly string[] | null;
  unit(key: string): MetricUnit;
  value(facts: RunFacts, key: string): number | null;
}

const NANO_PER_USD = 1e9;

/** Dollars of an amount in nano-dollars. */
export function usd(nanoUsd: number): number {
  return nanoUsd / NANO_PER_USD;
}

/** How many calls the cost of a recording is of, and how many of them it leaves out. */
export function billedCalls({ calls, unpriced }: RecordedBill): PricedCalls {
  return { calls, unpricedCalls: sum(Object.values(unpriced)) };
}

/** Dollars of a recording; null if no call of it could be priced. */
export function recordedUsd(bill: RecordedBill): number | null {
  return isUnpriced(billedCalls(bill)) ? null : usd(bill.costNano.total);
}

/** What the cost of a replay is held against: the recorded one, with the writes that the provider bills and the recording does not tell. */
export function comparedUsd(bill: RecordedBill): number | null {
  const recorded = recordedUsd(bill);
  return recorded === null ? null : recorded + usd(bill.assumedWritesNano ?? 0);
}

/** Whether a recording holds requests of a kind: those of its loops, and summaries where it has them. */
export function holds({ summaries }: RecordedBill, purpose: CallPurpose): boolean {
  return purpose === 'main' || purpose === 'subagent' || (purpose === 'compact' && summaries > 0);
}

/** What a run spent on requests of the kinds that its recording holds. */
export function heldNano({ total, byLayer }: RunFacts['cost'], recorded: RecordedBill | undefined): number {
  if (recorded === undefined) return total;
  return sum(CALL_PURPOSES.map((purpose) => (holds(recorded, purpose) ? byLayer[purpose] : 0)));
}

/** The metrics of a run that a recording can tell about itself, by name. */
export function recordedMetrics(bill: RecordedBill): Readonly<Record<string, number | null>> {
  const { tokens, costNano, calls, mainCalls } = bill;
  const prompts = promptTokens(tokens);
  const cost = recordedUsd(bill);
  return {
    apiCalls: calls,
    callsAnswered: calls,
    callsLost: 0,
    finishedShare: 1,
    turns: mainCalls,
    promptTokens: prompts,
    cacheReadTokens: tokens.cacheRead,
    cacheCreationTokens: tokens.cacheWrite5m + tokens.cacheWrite1h,
    uncachedTokens: tokens.input,
    outputTokens: tokens.output,
    cacheHitRate: ratio(tokens.cacheRead, prompts),
    costUsd: cost,
    costUsdMain: cost === null ? null : usd(bill.mainCostNano),
    costUsdSubagents: cost === null ? null : usd(costNano.total - bill.mainCostNano),
    costPerTurnUsd: cost === null ? null : ratio(usd(costNano.total), mainCalls),
    peakContextTokens: bill.peakContextTokens,
    meanPromptTokens: ratio(bill.mainPromptTokens, mainCalls),
    compactions: bill.compactions,
    recordedCostUsd: cost,
  };
}
