import { isOutputEstimated, outputOf } from '../../core/model/output-of.js';
import {
  isSummaryFork,
  type RecordedCall,
  type Thread,
  type Transcript,
} from '../../core/model/transcript.js';
import { addUsage, NO_USAGE, promptTokens, type Usage } from '../../core/model/usage.js';
import type { BillCost, RecordedBill, ThreadBill } from '../../core/run/recorded-bill.js';
import type { ModelBook } from './model-book.js';
import type { ModelRow } from './model-row.js';
import { MODELS } from './models.js';
import { addCost, type Cost, NO_COST, priceUsage } from './price.js';

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
export function writtenPremium(row: ModelRow, usage: Usage, own: Cost): number {
  const written = priceUsage(row, { ...usage, input: 0, cacheWrite5m: usage.cacheWrite5m + usage.input });
  return Math.max(0, written.totalNano - own.totalNano);
}

class BillWriter {
  readonly #models: ModelBook;
  readonly #writes: 'told' | 'untold';
  readonly #unpriced = new Map<string, number>();
  readonly #threads: ThreadBill[] = [];
  #cost = NO_COST;
  #mainCost = 0;
  #tokens = NO_USAGE;
  #calls = 0;
  #mainCalls = 0;
  #mainPrompts = 0;
  #peak: number | null = null;
  #estimated = 0;
  #withoutUsage = 0;
  #compactions = 0;
  #summaries = 0;
  #untoldWrites = 0;

  constructor(models: ModelBook, writes: 'told' | 'untold') {
    this.#models = models;
    this.#writes = writes;
  }

  add(thread: Thread): void {
    let cost = NO_COST;
    let calls = 0;
    const steps = thread.flow === undefined ? thread.steps : [];
    for (const step of steps) {
      if (step.kind === 'event' && step.event.kind === 'recorded-compaction') this.#compactions++;
      if (step.kind !== 'call') continue;
      const usage = billedUsage(step.call);
      if (usage === null) {
        this.#withoutUsage++;
        continue;
      }
      calls++;
      if (isOutputEstimated(step.call)) this.#estimated++;
      if (isSummaryFork(thread)) this.#summaries++;
      if (thread.parentId === null) this.#addMain(usage);
      this.#tokens = addUsage(this.#tokens, usage);
      const row = this.#models.find(step.call.model);
      if (row === null) this.#unpriced.set(step.call.model, (this.#unpriced.get(step.call.model) ?? 0) + 1);
      else {
        const own = priceUsage(row, usage);
        cost = addCost(cost, own);
        if (this.#writes === 'untold') this.#untoldWrites += writtenPremium(row, usage, own);
      }
    }
    this.#calls += calls;
    this.#cost = addCost(this.#cost, cost);
    if (thread.parentId === null) this.#mainCost += cost.totalNano;
    if (calls > 0) this.#threads.push({ thread: thread.id, calls, costNano: billCost(cost) });
  }

  #addMain(usage: Usage): void {
    this.#mainCalls++;
    this.#mainPrompts += promptTokens(usage);
    this.#peak = Math.max(this.#peak ?? 0, promptTokens(usage) + usage.output);
  }

  finish(): RecordedBill | null {
    if (this.#calls === 0) return null;
    return {
      calls: this.#calls,
      mainCalls: this.#mainCalls,
      tokens: this.#tokens,
      mainPromptTokens: this.#mainPrompts,
      peakContextTokens: this.#peak,
      costNano: billCost(this.#cost),
      mainCostNano: this.#mainCost,
      threads: this.#threads,
      estimatedOutputs: this.#estimated,
      unpriced: Object.fromEntries([...this.#unpriced].sort(([a], [b]) => (a < b ? -1 : 1))),
      withoutUsage: this.#withoutUsage,
      compactions: this.#compactions,
      summaries: Math.min(this.#summaries, this.#compactions),
      ...(this.#untoldWrites === 0 ? {} : { untoldWritesNano: this.#untoldWrites }),
    };
  }
}

/** The bill made last of a transcript: a study asks for it in every run. */
const latest = new WeakMap<object, { readonly models: ModelBook; readonly bill: RecordedBill | null }>();

/**
 * What a recording cost, by the usage of each response at list prices: every command that names a recorded cost names
 * this one. Null where nothing carries usage. Fees of server tools (web search) are not priced.
 */
export function recordedBill(
  transcript: Pick<Transcript, 'threads' | 'carries'>,
  models: ModelBook = MODELS,
): RecordedBill | null {
  const known = latest.get(transcript);
  if (known?.models === models) return known.bill;
  const writer = new BillWriter(models, transcript.carries.includes('cache-writes') ? 'told' : 'untold');
  for (const thread of transcript.threads) writer.add(thread);
  const bill = writer.finish();
  latest.set(transcript, { models, bill });
  return bill;
}
