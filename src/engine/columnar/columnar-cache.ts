import { behavioursOf, fadeOf } from '../../agent/client/client.js';
import { claudeCodeVersion } from '../../agent/client/recorded-client.js';
import type { RunPlan } from '../../core/run/run-plan.js';
import { createLifetime, type Lifetime } from '../../provider/cache/fade.js';
import { isLongTtl } from '../../provider/cache/ttl.js';
import { firstTokenMs } from '../../provider/fake-llm/fake-plan.js';
import type { RequestColumns } from './column-recorder.js';

/**
 * The prompt cache over columns: entries are known by number, so that a look-up reads a few numbers and hashes nothing. An
 * entry that was never written is one that expired before all time. What the last request came to stands in the fields.
 */
export class ColumnarCache {
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
