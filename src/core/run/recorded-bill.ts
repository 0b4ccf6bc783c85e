import type { Usage } from '../model/usage.js';

/** Money in whole nano-dollars by what it was for; the parts add up to the total exactly. */
export interface BillCost extends Readonly<Record<keyof Usage, number>> {
  readonly total: number;
}

/** What one conversation of a recording cost. */
export interface ThreadBill {
  readonly thread: string;
  /** Responses that carry usage. */
  readonly calls: number;
  readonly costNano: BillCost;
}

/** Calls of a model that were not priced at its newest prices. */
export interface OtherPrices {
  readonly model: string;
  /** `earlier`: by its prices before the day. `first`: by those of the day, before which none are known. */
  readonly kind: 'earlier' | 'first';
  readonly day: string;
  readonly calls: number;
}

/** The same in words. */
export function otherPriceSentence(model: string, { kind, day }: Pick<OtherPrices, 'kind' | 'day'>): string {
  return kind === 'earlier'
    ? `${model} at its prices before ${day}`
    : `${model} at its prices of ${day}, before which none are known`;
}

/** What a recording cost at list prices, as the usage in it says. */
export interface RecordedBill {
  /** Responses that carry usage, priced or not. */
  readonly calls: number;
  readonly mainCalls: number;
  /** Sums over them; output is estimated where it is not recorded. */
  readonly tokens: Usage;
  readonly mainPromptTokens: number;
  /** Largest prompt + output of a main conversation; null without a call of one. */
  readonly peakContextTokens: number | null;
  /** Over the calls whose model has a price. */
  readonly costNano: BillCost;
  /** The part of main conversations in it. */
  readonly mainCostNano: number;
  readonly threads: readonly ThreadBill[];
  /** Calls whose output is a placeholder in the recording, so that it is estimated from the response. */
  readonly estimatedOutputs: number;
  /** Calls of unknown models, by model: counted, not priced. */
  readonly unpriced: Readonly<Record<string, number>>;
  /** Day whose prices were asked for; absent where each call has the prices of its own day. */
  readonly priceDay?: string;
  /** Absent where all calls have the newest prices. */
  readonly otherPrices?: readonly OtherPrices[];
  /** Responses without usage: neither counted nor priced. */
  readonly withoutUsage: number;
  /** The additional cost if all unread tokens had been written, for a recording without writes; absent if zero. */
  readonly untoldWritesNano?: number;
  /** What its provider’s rules make of that, which a replay pays; absent if that is nothing. */
  readonly assumedWritesNano?: number;
  /** The additional cost if all writes had been for an hour, for a recording that does not say for how long they were; absent if zero. */
  readonly untoldLifetimesNano?: number;
  /** Compactions that were recorded. */
  readonly compactions: number;
  /** Those whose summary request is in the recording. */
  readonly summaries: number;
}

/** How many calls a cost is of, and how many of them it leaves out, their models having no price. */
export interface PricedCalls {
  readonly calls: number;
  readonly unpricedCalls: number;
}

/** Adds up the calls of several costs. */
export function addPricedCalls(parts: readonly PricedCalls[]): PricedCalls {
  let calls = 0;
  let unpricedCalls = 0;
  for (const part of parts) {
    calls += part.calls;
    unpricedCalls += part.unpricedCalls;
  }
  return { calls, unpricedCalls };
}

/** True where no call has a price, so that nothing can be said of the cost. */
export function isUnpriced({ calls, unpricedCalls }: PricedCalls): boolean {
  return calls > 0 && unpricedCalls === calls;
}
