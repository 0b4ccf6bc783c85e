import type { Digest } from '../../core/base/digest.js';
import type { BreakCause, EndEntry, LogEntry, RunEntry } from '../../core/run/run-log.js';
import type { CallPurpose } from '../../core/run/run-plan.js';
import type { ModelRow } from '../../provider/prices/model-row.js';

/** What the look-up, the price and the log of one request depend on besides the cache: a value per request in each column. */
export interface RequestColumns {
  readonly requests: number;
  readonly startMs: Float64Array;
  readonly promptTokens: Float64Array;
  readonly outputTokens: Float64Array;
  readonly freshTokens: Float64Array;
  readonly latencyMs: Float64Array;
  readonly seen: Float64Array;
  /** NaN where the log says null. */
  readonly kept: Float64Array;
  readonly turn: Int32Array;
  /** Index into `threads`. */
  readonly thread: Int32Array;
  /** Index into `models`. */
  readonly model: Int32Array;
  /** Lifetime the recording of the call speaks for. */
  readonly recordedTtlMs: Float64Array;
  /** From the start of the thread's previous request; NaN for its first. */
  readonly gapMs: Float64Array;
  /** First position that differs from the thread's previous request; −1 when it only grew. */
  readonly firstChanged: Int32Array;
  readonly announced: readonly (BreakCause | null)[];
  /** What a miss is put down to when time does not explain it. */
  readonly timelessCause: readonly BreakCause[];
  /** Entries that may be read, in the order they are looked for: those of request r from `lookFrom[r]` to `lookFrom[r + 1]`. */
  readonly lookFrom: Int32Array;
  readonly look: Int32Array;
  /** Entries at the breakpoints, ascending by position, in the same manner. */
  readonly marksFrom: Int32Array;
  readonly marks: Int32Array;
  /** By entry: its key, the position it ends at and the tokens it covers. */
  readonly entryKey: Float64Array & ArrayLike<Digest>;
  readonly entryPosition: Int32Array;
  readonly entryTokens: Float64Array;
  readonly threads: readonly { readonly id: string; readonly purpose: CallPurpose }[];
  readonly models: readonly ModelRow[];
  readonly run: RunEntry;
  /** Entries of the log besides requests and breaks; each comes before the request with its index. */
  readonly others: readonly { readonly before: number; readonly entry: LogEntry }[];
  readonly end: EndEntry;
}
