import type { BreakCause, LogSink } from '../../core/run/run-log.js';
import type { CachePlan, RunPlan } from '../../core/run/run-plan.js';
import { explainMiss, isBreak } from '../../provider/cache/break-detector.js';
import { chosenTtlMs, TTL_1H_MS, TTL_5M_MS } from '../../provider/cache/ttl.js';
import { priceUsage } from '../../provider/prices/price.js';
import type { PriceTimes } from '../../provider/prices/price-days.js';
import { rewriteCostOf } from '../requests/exchange.js';
import { runEntryOf } from '../run/replay.js';
import type { RequestColumns } from './column-recorder.js';
import { ColumnarCache } from './columnar-cache.js';

/** Requests between two chances to do something else. */
const REQUESTS_PER_PART = 4_096;

/** Read tokens of a thread that has sent nothing yet. */
const NOTHING_SENT = -1;

/** Writes the log that the engine would write for a plan of these columns, in short parts. */
export function* columnarParts(
  plan: RunPlan,
  columns: RequestColumns,
  sink: LogSink,
  pricedAt: PriceTimes,
): Generator<void, void, void> {
  sink.write(runEntryOf(columns.run, plan));
  const replay = new ColumnarReplay(plan, columns, sink, pricedAt);
  let done = 0;
  function* sendUpTo(end: number): Generator<void, void, void> {
    while (done < end) {
      const next = Math.min(end, done + REQUESTS_PER_PART);
      replay.send(done, next);
      if (next < end) yield;
      done = next;
    }
  }
  for (const { before, entry } of columns.others) {
    yield* sendUpTo(before);
    sink.write(entry);
  }
  yield* sendUpTo(columns.requests);
  sink.write({ ...columns.end, cost: replay.costNano });
}

/** The requests of one plan, one after another. */
class ColumnarReplay {
  costNano = 0;
  private readonly cache: ColumnarCache | null;
  private readonly ttl: CachePlan['ttl'];
  private readonly subagentTtl: CachePlan['ttl'];
  /** By thread, of its latest request: what was read, and the lifetime of what it read or wrote last, 0 for none. */
  private readonly readBefore: Float64Array;
  private readonly ttlBefore: Float64Array;

  constructor(
    plan: RunPlan,
    private readonly columns: RequestColumns,
    private readonly sink: LogSink,
    private readonly pricedAt: PriceTimes,
  ) {
    this.cache = plan.cache.mode === 'off' ? null : new ColumnarCache(plan, columns);
    this.ttl = plan.cache.ttl;
    this.subagentTtl = plan.cache.subagentTtl;
    this.readBefore = new Float64Array(columns.threads.length).fill(NOTHING_SENT);
    this.ttlBefore = new Float64Array(columns.threads.length);
  }

  /** Sends the requests from one on up to another. */
  send(from: number, to: number): void {
    const { columns, cache, sink } = this;
    for (let r = from; r < to; r++) {
      const threadIndex = columns.thread[r]!;
      const thread = columns.threads[threadIndex]!;
      const model = columns.models[columns.model[r]!]!;
      const prompt = columns.promptTokens[r]!;
      const output = columns.outputTokens[r]!;
      let read = 0;
      let write5m = 0;
      let write1h = 0;
      let input = prompt;
      let hitTtlMs = 0;
      let sawUnreadable = false;
      if (cache !== null) {
        const setting = thread.purpose === 'main' ? this.ttl : this.subagentTtl;
        cache.request(r, setting === 'recorded' ? columns.recordedTtlMs[r]! : chosenTtlMs(setting, model));
        read = cache.readTokens;
        write5m = cache.write5mTokens;
        write1h = cache.write1hTokens;
        input = cache.inputTokens;
        hitTtlMs = cache.hitTtlMs;
        sawUnreadable = cache.sawUnreadable;
      }
      const t = columns.startMs[r]!;
      const usage = { input, cacheRead: read, cacheWrite5m: write5m, cacheWrite1h: write1h, output };
      const cost = priceUsage(model, usage, this.pricedAt(t));
      this.costNano += cost.totalNano;
      const writeCost = cost.cacheWrite5mNano + cost.cacheWrite1hNano;
      const fresh = columns.freshTokens[r]!;
      const unread = prompt - read;
      const rewritten = Math.max(0, unread - fresh);
      const announced = columns.announced[r]!;
      const kept = columns.kept[r]!;
      const readBefore = this.readBefore[threadIndex]!;
      const broke = readBefore !== NOTHING_SENT && isBreak(readBefore, read);
      const cause =
        rewritten > 0 || broke ? this.causeOf(r, this.ttlBefore[threadIndex]!, sawUnreadable) : null;
      sink.write({
        type: 'request',
        t,
        thread: thread.id,
        n: r + 1,
        turn: columns.turn[r]!,
        purpose: thread.purpose,
        model: model.id,
        prompt,
        read,
        write5m,
        write1h,
        input,
        output,
        context: prompt + output,
        estimatedTokens: columns.seen[r]!,
        kept: Number.isNaN(kept) ? null : kept,
        uncompactedTokens: prompt,
        newTokens: Math.min(fresh, prompt),
        rewritten,
        cause: rewritten > 0 ? cause : null,
        latencyMs: columns.latencyMs[r]!,
        readCost: cost.cacheReadNano,
        writeCost,
        inputCost: cost.inputNano,
        outputCost: cost.outputNano,
        cost: cost.totalNano,
        rewriteCost: rewriteCostOf(writeCost + cost.inputNano, rewritten, unread),
      });
      if (broke) {
        sink.write({
          type: 'break',
          t,
          thread: thread.id,
          n: r + 1,
          cause: cause!,
          expected: cause === announced,
          lostTokens: readBefore - read,
          position:
            cause === 'messages' || cause === 'thinking' ? positionOf(columns.firstChanged[r]!) : null,
        });
      }
      this.readBefore[threadIndex] = read;
      this.ttlBefore[threadIndex] = write1h > 0 ? TTL_1H_MS : write5m > 0 ? TTL_5M_MS : hitTtlMs;
    }
  }

  /** Why something was not read (BRD-2). */
  private causeOf(r: number, ttlBefore: number, sawUnreadable: boolean): BreakCause {
    if (this.cache === null) return 'no-cache';
    const { columns } = this;
    const timeless = columns.timelessCause[r]!;
    const announced = columns.announced[r]!;
    const idleMs = columns.gapMs[r]!;
    if (Number.isNaN(idleMs)) return announced ?? timeless;
    return explainMiss({
      timeless,
      announced,
      idleMs,
      ttlMs: ttlBefore > 0 ? ttlBefore : null,
      sawUnreadable,
    });
  }
}

/** A column cannot hold `null`: −1 says that no message already sent was changed. */
function positionOf(column: number): number | null {
  return column < 0 ? null : column;
}
