import {
  isOutputEstimated,
  isSummaryFork,
  outputOf,
  type RecordedCall,
  type Thread,
  type Transcript,
} from '../../core/model/transcript.js';
import { addUsage, NO_USAGE, promptTokens, type Usage } from '../../core/model/usage.js';
import type { BillCost, OtherPrices, RecordedBill, ThreadBill } from '../../core/run/recorded-bill.js';
import type { RunPlan } from '../../core/run/run-plan.js';
import { withUntoldWrites } from '../providers/providers.js';
import type { ModelBook } from './model-book.js';
import type { ModelRow } from './model-row.js';
import { modelsOf } from './models.js';
import { addCost, type Cost, NO_COST, otherPrices, priceTimes, priceUsage } from './price.js';

/** What was billed for a call, output estimated where it is not recorded; null without usage. */
export function billedUsage(call: RecordedCall): Usage | null {
  if (call.usage === null || !isOutputEstimated(call)) return call.usage;
  return { ...call.usage, output: outputOf(call) };
}

function billCost(cost: Cost): BillCost {
  return {
    input: cost.inputNano,
    cacheRead: cost.cacheReadNano,
    cacheWrite5m: cost.cacheWrite5mNano,
    cacheWrite1h: cost.cacheWrite1hNano,
    output: cost.outputNano,
    total: cost.totalNano,
  };
}

/** What a call would have cost more had all that was not read been written. */
export function writtenPremium(row: ModelRow, usage: Usage, atMs: number, own: Cost): number {
  const all = { ...usage, input: 0, cacheWrite5m: usage.cacheWrite5m + usage.input };
  const written = priceUsage(row, all, atMs);
  return Math.max(0, written.totalNano - own.totalNano);
}

/** What a call would have cost more had all its writes been for an hour. */
export function hourPremium(row: ModelRow, usage: Usage, atMs: number, own: Cost): number {
  const hour = { ...usage, cacheWrite5m: 0, cacheWrite1h: usage.cacheWrite5m + usage.cacheWrite1h };
  return Math.max(0, priceUsage(row, hour, atMs).totalNano - own.totalNano);
}

/** The usage of a thread's responses, null if one has none, with what is billed. */
function* billedCalls(
  thread: Thread,
): Generator<{ readonly call: RecordedCall; readonly usage: Usage | null }> {
  for (const step of thread.flow === undefined ? thread.steps : [])
    if (step.kind === 'call') yield { call: step.call, usage: billedUsage(step.call) };
}

/** The compactions of a thread, and how many of their summaries were made by calls of it. */
function countCompactions({ flow, steps }: Thread): { readonly all: number; readonly amongCalls: number } {
  const count = { all: 0, amongCalls: 0 };
  for (const step of flow === undefined ? steps : []) {
    if (step.kind !== 'event' || step.event.kind !== 'recorded-compaction') continue;
    count.all++;
    if (step.event.isAmongCalls === true) count.amongCalls++;
  }
  return count;
}

/** Counts calls that do not have the newest prices of their models. */
class OtherPriceTally {
  readonly #found = new Map<string, OtherPrices>();

  add(row: ModelRow, atMs: number): void {
    const other = otherPrices(row, atMs);
    if (other === null) return;
    const key = `${row.id} ${other.day} ${other.kind}`;
    this.#found.set(key, { model: row.id, ...other, calls: (this.#found.get(key)?.calls ?? 0) + 1 });
  }

  get list(): readonly OtherPrices[] {
    return [...this.#found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, found]) => found);
  }
}

function makeBill(transcript: Billed, models: ModelBook, priceDay: string | undefined): RecordedBill | null {
  const { threads } = transcript;
  const writes = transcript.carries.includes('cache-writes') ? 'reported' : 'unreported';
  const hasLifetimes = transcript.carries.includes('lifetimes');
  const pricedAt = priceTimes(transcript, { priceDay });
  const others = new OtherPriceTally();
  const unpriced = new Map<string, number>();
  const bills: ThreadBill[] = [];
  let total = NO_COST;
  let tokens = NO_USAGE;
  const main = { calls: 0, promptTokens: 0, cost: 0, peak: null as number | null };
  const count = {
    calls: 0,
    estimated: 0,
    withoutUsage: 0,
    compactions: 0,
    summaries: 0,
    untoldWrites: 0,
    assumedWrites: 0,
    untoldLifetimes: 0,
  };
  for (const thread of threads) {
    const isMain = thread.parentId === null;
    let cost = NO_COST;
    let calls = 0;
    const { all, amongCalls } = countCompactions(thread);
    count.compactions += all;
    count.summaries += amongCalls;
    for (const { call, usage } of billedCalls(thread)) {
      if (usage === null) {
        count.withoutUsage++;
        continue;
      }
      calls++;
      if (isOutputEstimated(call)) count.estimated++;
      if (isSummaryFork(thread)) count.summaries++;
      if (isMain) {
        main.calls++;
        main.promptTokens += promptTokens(usage);
        main.peak = Math.max(main.peak ?? 0, promptTokens(usage) + usage.output);
      }
      tokens = addUsage(tokens, usage);
      const row = models.find(call.model);
      if (row === null) unpriced.set(call.model, (unpriced.get(call.model) ?? 0) + 1);
      else {
        const atMs = pricedAt(call.startMs);
        const own = priceUsage(row, usage, atMs);
        cost = addCost(cost, own);
        others.add(row, atMs);
        if (!hasLifetimes) count.untoldLifetimes += hourPremium(row, usage, atMs, own);
        if (writes === 'reported') continue;
        count.untoldWrites += writtenPremium(row, usage, atMs, own);
        count.assumedWrites += priceUsage(row, withUntoldWrites(row, usage), atMs).totalNano - own.totalNano;
      }
    }
    count.calls += calls;
    total = addCost(total, cost);
    if (isMain) main.cost += cost.totalNano;
    if (calls > 0) bills.push({ thread: thread.id, calls, costNano: billCost(cost) });
  }
  if (count.calls === 0) return null;
  return {
    calls: count.calls,
    mainCalls: main.calls,
    tokens,
    mainPromptTokens: main.promptTokens,
    peakContextTokens: main.peak,
    costNano: billCost(total),
    mainCostNano: main.cost,
    threads: bills,
    estimatedOutputs: count.estimated,
    unpriced: Object.fromEntries([...unpriced].sort(([a], [b]) => (a < b ? -1 : 1))),
    ...(priceDay === undefined ? {} : { priceDay }),
    ...(others.list.length === 0 ? {} : { otherPrices: others.list }),
    withoutUsage: count.withoutUsage,
    compactions: count.compactions,
    summaries: Math.min(count.summaries, count.compactions),
    ...(count.untoldWrites === 0 ? {} : { untoldWritesNano: count.untoldWrites }),
    ...(count.assumedWrites <= 0 ? {} : { assumedWritesNano: count.assumedWrites }),
    ...(count.untoldLifetimes === 0 ? {} : { untoldLifetimesNano: count.untoldLifetimes }),
  };
}

/** The bill made last of a transcript: a study asks for it in every run. */
const latest = new WeakMap<
  object,
  {
    readonly models: ModelBook;
    readonly priceDay: string | undefined;
    readonly bill: RecordedBill | null;
  }
>();

/** What a bill is made of. */
type Billed = Pick<Transcript, 'threads' | 'carries' | 'startedAtMs' | 'priceDay' | 'models'>;

/**
 * What a recording cost, by the usage of each response at the list prices of its day: every command that names a recorded
 * cost names this one. A plan may have other models, and a day whose prices count. Null if nothing carries usage. Fees of server tools (web search) are not priced.
 */
export function recordedBill(
  transcript: Billed,
  plan: Pick<RunPlan, 'models' | 'priceDay'> = {},
): RecordedBill | null {
  const models = modelsOf({ models: plan.models ?? transcript.models });
  const priceDay = plan.priceDay ?? transcript.priceDay;
  const known = latest.get(transcript);
  if (known?.models === models && known.priceDay === priceDay) return known.bill;
  const bill = makeBill(transcript, models, priceDay);
  latest.set(transcript, { models, priceDay, bill });
  return bill;
}
