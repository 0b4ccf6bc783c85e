import { behavioursOf, fadeOf } from '../../agent/client/client.js';
import { claudeCodeVersion } from '../../agent/client/recorded-client.js';
import type { BreakCause } from '../../core/run/break-causes.js';
import type { LogSink } from '../../core/run/run-log.js';
import type { CachePlan, RunPlan } from '../../core/run/run-plan.js';
import { explainMiss, isBreak } from '../../provider/cache/break-detector.js';
import {
  chosenTtlMs,
  createLifetime,
  isLongTtl,
  type Lifetime,
  TTL_1H_MS,
  TTL_5M_MS,
} from '../../provider/cache/ttl.js';
import { firstTokenMs } from '../../provider/fake-llm/fake-llm.js';
import { type PriceTimes, priceUsage } from '../../provider/prices/price.js';
import { rewriteCostOf } from '../requests/exchange.js';
import { runEntryOf } from '../run/replay.js';
import type { RequestColumns } from './column-recorder.js';

/**
 * The prompt cache over columns: entries are known by number, so that a look-up reads a few numbers and hashes nothing. An
 * entry that was never written is one that expired before all time. The fields have the result of the last request.
 */
class ColumnarCache {
  readTokens = 0;
  write5mTokens = 0;
  write1hTokens = 0;
  inputTokens = 0;
  /** Lifetime of the entry that was read; 0 when none was. */
  hitTtlMs = 0;
  sawUnreadable = false;
  private readonly readyAtMs: Float64Array;
  private readonly expiresAtMs: Float64Array;
  private readonly ttlMs: Float64Array;
  private readonly lifetime: Lifetime;
  private readonly latencyScale: number;

  constructor(
    plan: RunPlan,
    private readonly columns: RequestColumns,
  ) {
    const entries = columns.entryKey.length;
    this.readyAtMs = new Float64Array(entries);
    this.expiresAtMs = new Float64Array(entries).fill(Number.NEGATIVE_INFINITY);
    this.ttlMs = new Float64Array(entries);
    const { policy, cache, seed } = plan;
    const behaviours = behavioursOf(policy.params, {
      version: claudeCodeVersion(columns.run.transcript),
      driver: 'person', // It decides nothing about lifetimes.
    });
    this.lifetime = createLifetime(fadeOf(cache.fade, behaviours), seed);
    this.latencyScale = plan.llm.fake.latencyScale;
  }

  /** Looks request `r` up, renews and writes (CCH-1 … CCH-5). */
  request(r: number, ttlMs: number): void {
    const { columns } = this;
    const startMs = columns.startMs[r]!;
    const promptTokens = columns.promptTokens[r]!;
    const hit = this.find(r, startMs);
    const hitPosition = hit < 0 ? -1 : columns.entryPosition[hit]!;
    const readTokens = hit < 0 ? 0 : columns.entryTokens[hit]!;
    const uncachedMs = firstTokenMs(
      columns.models[columns.model[r]!]!,
      promptTokens - readTokens,
      this.latencyScale,
    );
    const readyAtMs = startMs + Math.min(uncachedMs, columns.latencyMs[r]!);
    let writtenEnd = readTokens;
    for (let m = columns.marksFrom[r]!; m < columns.marksFrom[r + 1]!; m++) {
      const entry = columns.marks[m]!;
      const position = columns.entryPosition[entry]!;
      if (position > hitPosition) {
        this.write(entry, ttlMs, startMs, readyAtMs);
        writtenEnd = columns.entryTokens[entry]!;
      } else if (
        position < hitPosition &&
        startMs >= this.readyAtMs[entry]! &&
        startMs < this.expiresAtMs[entry]!
      ) {
        this.renew(entry, startMs);
      }
    }
    const written = writtenEnd - readTokens;
    const isLong = isLongTtl(ttlMs);
    this.readTokens = readTokens;
    this.write5mTokens = isLong ? 0 : written;
    this.write1hTokens = isLong ? written : 0;
    this.inputTokens = promptTokens - writtenEnd;
    this.hitTtlMs = hit < 0 ? 0 : this.ttlMs[hit]!;
  }

  /** The entry that is read, renewed; −1 when there is none. */
  private find(r: number, startMs: number): number {
    const { look, lookFrom } = this.columns;
    const end = lookFrom[r + 1]!;
    this.sawUnreadable = false;
    for (let i = lookFrom[r]!; i < end; i++) {
      const entry = look[i]!;
      if (startMs >= this.expiresAtMs[entry]!) continue;
      if (startMs < this.readyAtMs[entry]!) {
        this.sawUnreadable = true;
        continue;
      }
      this.renew(entry, startMs);
      return entry;
    }
    return -1;
  }

  private renew(entry: number, startMs: number): void {
    const lastsMs = this.lifetime(this.ttlMs[entry]!, this.columns.entryKey[entry]!, startMs);
    if (startMs + lastsMs > this.expiresAtMs[entry]!) this.expiresAtMs[entry] = startMs + lastsMs;
  }

  /** An entry that is alive but not yet readable keeps the earlier readiness and the longer life. */
  private write(entry: number, ttlMs: number, startMs: number, readyAtMs: number): void {
    const expiresAtMs = startMs + this.lifetime(ttlMs, this.columns.entryKey[entry]!, startMs);
    if (startMs >= this.expiresAtMs[entry]!) {
      this.readyAtMs[entry] = readyAtMs;
      this.expiresAtMs[entry] = expiresAtMs;
      this.ttlMs[entry] = ttlMs;
      return;
    }
    if (readyAtMs < this.readyAtMs[entry]!) this.readyAtMs[entry] = readyAtMs;
    if (expiresAtMs > this.expiresAtMs[entry]!) this.expiresAtMs[entry] = expiresAtMs;
    if (ttlMs > this.ttlMs[entry]!) this.ttlMs[entry] = ttlMs;
  }
}

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
