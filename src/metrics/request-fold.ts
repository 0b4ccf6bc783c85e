import { CcbenchError } from '../core/base/errors.js';
import type { Mutable } from '../core/base/mutable.js';
import { ratio } from '../core/base/stats.js';
import type { BreakCause, RequestEntry, ThreadEntry } from '../core/run/run-log.js';
import { CALL_PURPOSES, type CallPurpose } from '../core/run/run-plan.js';
import { RiskTally } from './cost-interval.js';
import type { CostFacts, RequestFacts, ThreadFacts } from './facts.js';
import { addTo, recordOf, sortedRecord, type Tally } from './tally.js';

/** What the requests of a run add up to. */
export interface RequestTotals {
  readonly requests: RequestFacts;
  readonly byPurpose: Readonly<Record<CallPurpose, RequestFacts>>;
  readonly cost: CostFacts;
  readonly threads: readonly ThreadFacts[];
  readonly models: Readonly<Record<string, number>>;
  readonly peakContextTokens: number | null;
  readonly keptContentShare: number | null;
  /** Main-loop turns, summed over the main threads. */
  readonly turns: number;
  readonly risks: RiskTally;
}

/** Adds up requests and threads; one call per request, which allocates nothing. */
export interface RequestFold {
  addThread(entry: ThreadEntry): void;
  addRequest(entry: RequestEntry): void;
  finish(): RequestTotals;
}

function emptyRequests(): Mutable<RequestFacts> {
  return {
    calls: 0,
    promptTokens: 0,
    readTokens: 0,
    write5mTokens: 0,
    write1hTokens: 0,
    inputTokens: 0,
    outputTokens: 0,
    latencyMs: 0,
    costNanoUsd: 0,
  };
}

function addUp(parts: readonly RequestFacts[]): RequestFacts {
  const total = emptyRequests();
  for (const part of parts) {
    total.calls += part.calls;
    total.promptTokens += part.promptTokens;
    total.readTokens += part.readTokens;
    total.write5mTokens += part.write5mTokens;
    total.write1hTokens += part.write1hTokens;
    total.inputTokens += part.inputTokens;
    total.outputTokens += part.outputTokens;
    total.latencyMs += part.latencyMs;
    total.costNanoUsd += part.costNanoUsd;
  }
  return total;
}

function broken(entry: RequestEntry, sentence: string): CcbenchError {
  return new CcbenchError('invariant', `request ${entry.n} of thread ${entry.thread}: ${sentence} (INV-5)`, {
    hint: 'the log contradicts itself: it was edited, or the run that wrote it has a defect',
  });
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

/** Creates an empty fold over threads and requests. */
export function createRequestFold(): RequestFold {
  const byPurpose = recordOf(CALL_PURPOSES, emptyRequests);
  const threads = new Map<string, Mutable<ThreadFacts>>();
  const models: Tally = new Map();
  const rewrites: Map<BreakCause, number> = new Map();
  let total = 0;
  let carry = 0;
  let fresh = 0;
  let output = 0;
  let peak = -1;
  let kept = 0;
  let keptCalls = 0;
  let thread: Mutable<ThreadFacts> | null = null;
  const risks = new RiskTally();

  const openThread = (id: string, entry: ThreadEntry | null): Mutable<ThreadFacts> => {
    const opened: Mutable<ThreadFacts> = {
      id,
      parent: entry?.parent ?? null,
      label: entry?.label ?? id,
      prefixTokens: entry?.prefixTokens ?? null,
      window: entry?.window ?? null,
      calls: 0,
      turns: 0,
      costNanoUsd: 0,
    };
    threads.set(id, opened);
    return opened;
  };

  return {
    addThread(entry) {
      if (!threads.has(entry.thread)) openThread(entry.thread, entry);
    },
    addRequest(entry) {
      checkRequest(entry);
      const sums = byPurpose[entry.purpose];
      sums.calls += 1;
      sums.promptTokens += entry.prompt;
      sums.readTokens += entry.read;
      sums.write5mTokens += entry.write5m;
      sums.write1hTokens += entry.write1h;
      sums.inputTokens += entry.input;
      sums.outputTokens += entry.output;
      sums.latencyMs += entry.latencyMs;
      sums.costNanoUsd += entry.cost;
      total += entry.cost;
      carry += entry.readCost;
      fresh += entry.writeCost + entry.inputCost - entry.rewriteCost;
      output += entry.outputCost;
      if (entry.cause !== null)
        rewrites.set(entry.cause, (rewrites.get(entry.cause) ?? 0) + entry.rewriteCost);
      if (thread === null || thread.id !== entry.thread) {
        thread = threads.get(entry.thread) ?? openThread(entry.thread, null);
      }
      thread.calls += 1;
      thread.costNanoUsd += entry.cost;
      if (entry.purpose === 'main' || entry.purpose === 'subagent') {
        if (entry.turn > thread.turns) thread.turns = entry.turn;
      }
      if (entry.purpose === 'main' && entry.context > peak) peak = entry.context;
      if (entry.purpose === 'main' && typeof entry.kept === 'number') {
        kept += entry.kept;
        keptCalls += 1;
      }
      addTo(models, entry.model, 1);
      if (entry.risk !== undefined) risks.add(entry.risk);
    },
    finish() {
      const byCause: Record<string, number> = { carry, new: fresh };
      for (const [cause, cost] of Object.entries(sortedRecord(rewrites))) byCause[`rewrite:${cause}`] = cost;
      byCause.output = output;
      const list = [...threads.values()];
      const cost: CostFacts = {
        total,
        byCause,
        byLayer: recordOf(CALL_PURPOSES, (purpose) => byPurpose[purpose].costNanoUsd),
        byThread: Object.fromEntries(list.map((item) => [item.id, item.costNanoUsd])),
      };
      checkSplit('by cause', cost.byCause, total);
      checkSplit('by layer', cost.byLayer, total);
      checkSplit('by thread', cost.byThread, total);
      let turns = 0;
      for (const item of list) if (item.parent === null) turns += item.turns;
      return {
        requests: addUp(Object.values(byPurpose)),
        byPurpose,
        cost,
        threads: list,
        models: sortedRecord(models),
        peakContextTokens: peak < 0 ? null : peak,
        keptContentShare: ratio(kept, keptCalls),
        turns,
        risks,
      };
    },
  };
}
