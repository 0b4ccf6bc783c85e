import { CcbenchError } from '../core/base/errors.js';
import type { Mutable } from '../core/base/mutable.js';
import { ratio } from '../core/base/stats.js';
import type { BreakCause } from '../core/run/break-causes.js';
import type { RequestEntry, ThreadEntry } from '../core/run/log-entries.js';
import { CALL_PURPOSES, type CallPurpose } from '../core/run/run-plan.js';
import { RiskTally } from './cost-interval.js';
import { addTo, recordOf, sortedRecord, type Tally } from './tally.js';

const REQUEST_SUMS = [
  'calls',
  'promptTokens',
  'readTokens',
  'write5mTokens',
  'write1hTokens',
  'inputTokens',
  'outputTokens',
  'latencyMs',
  'costNanoUsd',
] as const;

/** Sums over a group of answered requests. Money is in whole nano-dollars. */
export type RequestFacts = Readonly<Record<(typeof REQUEST_SUMS)[number], number>>;

/** Three ways to split one total; each adds up to it exactly (INV-5). Nano-dollars. */
export interface CostFacts {
  readonly total: number;
  /** `carry` (cache reads), `new` (writes and input of fresh content), `rewrite:<cause>`, `output`. */
  readonly byCause: Readonly<Record<string, number>>;
  /** By the purpose of the call. */
  readonly byLayer: Readonly<Record<CallPurpose, number>>;
  readonly byThread: Readonly<Record<string, number>>;
}

/** One conversation of the run. */
export interface ThreadFacts {
  readonly id: string;
  readonly parent: string | null;
  readonly label: string;
  readonly prefixTokens: number | null;
  readonly window: number | null;
  readonly calls: number;
  readonly turns: number;
  readonly costNanoUsd: number;
}

/** What the requests of a run add up to. */
export interface RequestTotals {
  /** Main-loop turns, summed over the main threads. */
  readonly turns: number;
  /** Requests by model. */
  readonly models: Readonly<Record<string, number>>;
  readonly threads: readonly ThreadFacts[];
  readonly requests: RequestFacts;
  readonly byPurpose: Readonly<Record<CallPurpose, RequestFacts>>;
  readonly cost: CostFacts;
  /** Largest prompt + output of the main loop; null without a request. */
  readonly peakContextTokens: number | null;
  /** Share of the session's own content the main loop's requests still held, averaged over them; null without data. */
  readonly contentRetention: number | null;
}

function emptyRequests(): Mutable<RequestFacts> {
  return recordOf(REQUEST_SUMS, () => 0);
}

function addUp(parts: readonly RequestFacts[]): RequestFacts {
  const total = emptyRequests();
  for (const part of parts) for (const name of REQUEST_SUMS) total[name] += part[name];
  return total;
}

function checkRequest(entry: RequestEntry): void {
  if (entry.prompt !== entry.input + entry.read + entry.write5m + entry.write1h) {
    throw broken(entry, `a prompt of ${entry.prompt} tokens is not input + read + written`);
  }
  if (entry.cost !== entry.readCost + entry.writeCost + entry.inputCost + entry.outputCost) {
    throw broken(entry, `a cost of ${entry.cost} is not the sum of its parts`);
  }
  if (entry.rewriteCost < 0 || entry.rewriteCost > entry.writeCost + entry.inputCost) {
    throw broken(entry, `a rewrite cost of ${entry.rewriteCost} is not part of writes and input`);
  }
  if (entry.rewriteCost > 0 && entry.cause === null) throw broken(entry, 'a rewrite has no cause');
}

function broken(entry: RequestEntry, sentence: string): CcbenchError {
  return new CcbenchError('invariant', `request ${entry.n} of thread ${entry.thread}: ${sentence} (INV-5)`, {
    hint: 'the log contradicts itself: it was edited, or the run that wrote it has a defect',
  });
}

/** Sums beyond 2⁵³ nano-dollars (nine million dollars) are no longer exact. */
const ROUNDING_SHARE = 1e-12;

function checkSplit(name: string, parts: Readonly<Record<string, number>>, total: number): void {
  let sum = 0;
  for (const part of Object.values(parts)) sum += part;
  const exact = Number.isSafeInteger(total);
  if (exact ? sum === total : Number.isInteger(total) && Math.abs(sum - total) <= total * ROUNDING_SHARE)
    return;
  throw new CcbenchError(
    'invariant',
    `cost ${name} adds up to ${sum} nano-dollars, the total is ${total} (INV-5)`,
  );
}

/** Adds up requests and threads; one call per request, which allocates nothing. */
export class RequestFold {
  readonly risks = new RiskTally();
  readonly #byPurpose = recordOf(CALL_PURPOSES, emptyRequests);
  readonly #threads = new Map<string, Mutable<ThreadFacts>>();
  readonly #models: Tally = new Map();
  readonly #rewrites: Map<BreakCause, number> = new Map();
  #carry = 0;
  #fresh = 0;
  #output = 0;
  #total = 0;
  #peak = -1;
  #kept = 0;
  #keptCalls = 0;
  #thread: Mutable<ThreadFacts> | null = null;

  addThread(entry: ThreadEntry): void {
    if (!this.#threads.has(entry.thread)) this.#open(entry.thread, entry);
  }

  #open(id: string, entry: ThreadEntry | null): Mutable<ThreadFacts> {
    const { parent = null, label = id, prefixTokens = null, window = null } = entry ?? {};
    const opened = { id, parent, label, prefixTokens, window, calls: 0, turns: 0, costNanoUsd: 0 };
    this.#threads.set(id, opened);
    return opened;
  }

  addRequest(entry: RequestEntry): void {
    checkRequest(entry);
    const sums = this.#byPurpose[entry.purpose];
    sums.calls += 1;
    sums.promptTokens += entry.prompt;
    sums.readTokens += entry.read;
    sums.write5mTokens += entry.write5m;
    sums.write1hTokens += entry.write1h;
    sums.inputTokens += entry.input;
    sums.outputTokens += entry.output;
    sums.latencyMs += entry.latencyMs;
    sums.costNanoUsd += entry.cost;
    this.#total += entry.cost;
    this.#carry += entry.readCost;
    this.#fresh += entry.writeCost + entry.inputCost - entry.rewriteCost;
    this.#output += entry.outputCost;
    if (entry.cause !== null)
      this.#rewrites.set(entry.cause, (this.#rewrites.get(entry.cause) ?? 0) + entry.rewriteCost);
    let thread = this.#thread;
    if (thread === null || thread.id !== entry.thread) {
      thread = this.#threads.get(entry.thread) ?? this.#open(entry.thread, null);
      this.#thread = thread;
    }
    thread.calls += 1;
    thread.costNanoUsd += entry.cost;
    const isMain = entry.purpose === 'main';
    if ((isMain || entry.purpose === 'subagent') && entry.turn > thread.turns) thread.turns = entry.turn;
    if (isMain && entry.context > this.#peak) this.#peak = entry.context;
    if (isMain && typeof entry.kept === 'number') {
      this.#kept += entry.kept;
      this.#keptCalls += 1;
    }
    addTo(this.#models, entry.model, 1);
    if (entry.risk !== undefined) this.risks.add(entry.risk);
  }

  finish(): RequestTotals {
    const total = this.#total;
    const byCause: Record<string, number> = { carry: this.#carry, new: this.#fresh };
    for (const [cause, cost] of Object.entries(sortedRecord(this.#rewrites)))
      byCause[`rewrite:${cause}`] = cost;
    byCause.output = this.#output;
    const threads = [...this.#threads.values()];
    const cost: CostFacts = {
      total,
      byCause,
      byLayer: recordOf(CALL_PURPOSES, (purpose) => this.#byPurpose[purpose].costNanoUsd),
      byThread: Object.fromEntries(threads.map((item) => [item.id, item.costNanoUsd])),
    };
    checkSplit('by cause', cost.byCause, total);
    checkSplit('by layer', cost.byLayer, total);
    checkSplit('by thread', cost.byThread, total);
    let turns = 0;
    for (const item of threads) if (item.parent === null) turns += item.turns;
    return {
      turns,
      models: sortedRecord(this.#models),
      threads,
      requests: addUp(Object.values(this.#byPurpose)),
      byPurpose: this.#byPurpose,
      cost,
      peakContextTokens: this.#peak < 0 ? null : this.#peak,
      contentRetention: ratio(this.#kept, this.#keptCalls),
    };
  }
}
