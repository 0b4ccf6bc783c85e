import { MS_PER_HOUR } from '../../core/base/clock.js';
import type { Digest } from '../../core/base/digest.js';
import type { BreakCause } from '../../core/run/break-causes.js';
import type { EndEntry, LogEntry, LogSink, RunEntry } from '../../core/run/run-log.js';
import type { CallPurpose } from '../../core/run/run-plan.js';
import { type CacheObservation, timelessCause } from '../../provider/cache/break-detector.js';
import { keyAt, LOOKBACK_POSITIONS } from '../../provider/cache/prompt-cache.js';
import type { ModelRow } from '../../provider/prices/model-row.js';
import { GrowableFloats } from '../counting/own-tokens.js';
import { type CacheAnswer, observationOf } from '../requests/exchange.js';
import type { Outgoing } from '../requests/run-env.js';

/** What the look-up, the price and the log of one request depend on besides the cache: a value per request in each column. */
export interface RequestColumns {
  readonly requests: number;
  readonly startMs: Float64Array;
  readonly promptTokens: Float64Array;
  readonly outputTokens: Float64Array;
  readonly freshTokens: Float64Array;
  readonly latencyMs: Float64Array;
  readonly seen: Float64Array;
  /** NaN if the log says null. */
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
  /** What a miss is attributed to when time does not explain it. */
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

/** Names of the columns with one number per request. */
const NUMBERS = [
  'startMs',
  'promptTokens',
  'outputTokens',
  'freshTokens',
  'latencyMs',
  'seen',
  'kept',
  'turn',
  'thread',
  'model',
  'recordedTtlMs',
  'gapMs',
  'firstChanged',
] as const;

/** Entries that a run without layers, faults and refusals may write besides its requests. */
const KNOWN_ENTRIES: ReadonlySet<LogEntry['type']> = new Set([
  'thread',
  'status',
  'notice',
  'skipped',
  'warning',
  'breakdown',
  'fault',
]);

/** Listens to one run of the engine and keeps what its requests consist of. */
export class ColumnRecorder implements LogSink {
  private readonly numbers = NUMBERS.map(() => new GrowableFloats());
  private readonly announced: (BreakCause | null)[] = [];
  private readonly timelessCause: BreakCause[] = [];
  private readonly lookFrom = new GrowableFloats();
  private readonly look = new GrowableFloats();
  private readonly marksFrom = new GrowableFloats();
  private readonly marks = new GrowableFloats();
  private readonly entryKey = new GrowableFloats();
  private readonly entryPosition = new GrowableFloats();
  private readonly entryTokens = new GrowableFloats();
  /** Entries by key: those that some request so far has marked. */
  private readonly entries = new Map<Digest, number>();
  private readonly threads: { readonly id: string; readonly purpose: CallPurpose }[] = [];
  private readonly threadIndex = new Map<string, number>();
  private readonly previous: CacheObservation[] = [];
  private readonly models: ModelRow[] = [];
  private readonly others: { readonly before: number; readonly entry: LogEntry }[] = [];
  private run: RunEntry | null = null;
  private end: EndEntry | null = null;
  private latestMs = 0;
  private isPlain = true;

  /** Takes the entries of the run; one that the columns cannot repeat ends the attempt. */
  write(entry: LogEntry): void {
    if (entry.type === 'run') this.run = entry;
    else if (entry.type === 'end') this.end = entry;
    else if (KNOWN_ENTRIES.has(entry.type)) this.others.push({ before: this.announced.length, entry });
    else if (entry.type !== 'request') this.isPlain = false;
  }

  /** Takes a request before it is sent. */
  readonly request = (thread: string, out: Outgoing): void => {
    const { view } = out;
    if (!isPlain(out) || out.startMs < this.latestMs - MS_PER_HOUR) this.isPlain = false;
    this.latestMs = Math.max(this.latestMs, out.startMs);
    const index = this.indexOf(thread, out.purpose);
    const previous = this.previous[index];
    const current = observationOf(out, NO_ANSWER);
    this.previous[index] = current;
    const values: Readonly<Record<(typeof NUMBERS)[number], number>> = {
      startMs: out.startMs,
      promptTokens: view.length === 0 ? 0 : view.sums[view.length - 1]!,
      outputTokens: out.outputTokens,
      freshTokens: out.freshTokens,
      latencyMs: out.recordedLatencyMs ?? 0,
      seen: out.seen ?? 0,
      kept: out.kept ?? Number.NaN,
      turn: out.turn,
      thread: index,
      model: this.modelIndex(out.model),
      recordedTtlMs: out.breakpoints[0]?.ttlMs ?? 0,
      gapMs: previous === undefined ? Number.NaN : out.startMs - previous.startMs,
      firstChanged: out.firstChanged ?? -1,
    };
    for (let i = 0; i < NUMBERS.length; i++) this.numbers[i]!.push(values[NUMBERS[i]!]);
    this.announced.push(out.announced);
    this.timelessCause.push(previous === undefined ? 'server' : timelessCause(previous, current));
    this.noteLookUps(out);
    this.noteMarks(out);
  };

  private indexOf(thread: string, purpose: CallPurpose): number {
    const known = this.threadIndex.get(thread);
    if (known !== undefined) return known;
    this.threadIndex.set(thread, this.threads.length);
    return this.threads.push({ id: thread, purpose }) - 1;
  }

  private modelIndex(row: ModelRow): number {
    const known = this.models.indexOf(row);
    return known >= 0 ? known : this.models.push(row) - 1;
  }

  /** Every position the cache would look at, in its order; those not marked so far cannot be there. */
  private noteLookUps({ view, salts, breakpoints, model }: Outgoing): void {
    this.lookFrom.push(this.look.length);
    let unexamined = view.length - 1;
    for (let b = breakpoints.length - 1; b >= 0; b--) {
      const { position } = breakpoints[b]!;
      if (view.sums[position]! < model.minCacheableTokens) break;
      const lowest = Math.max(0, position - LOOKBACK_POSITIONS + 1);
      for (let i = Math.min(position, unexamined); i >= lowest; i--) {
        const entry = this.entries.get(keyAt(view, salts, i));
        if (entry === undefined) continue;
        this.look.push(entry);
        this.compare(entry, i, view.sums[i]!);
      }
      unexamined = Math.min(unexamined, lowest - 1);
    }
  }

  private noteMarks({ view, salts, breakpoints, model }: Outgoing): void {
    this.marksFrom.push(this.marks.length);
    for (const { position } of breakpoints) {
      const tokens = view.sums[position]!;
      if (tokens < model.minCacheableTokens) continue;
      const key = keyAt(view, salts, position);
      let entry = this.entries.get(key);
      if (entry === undefined) {
        entry = this.entries.size;
        this.entries.set(key, entry);
        this.entryKey.push(key);
        this.entryPosition.push(position);
        this.entryTokens.push(tokens);
      }
      this.marks.push(entry);
      this.compare(entry, position, tokens);
    }
  }

  /** Two prefixes with one key, or a key that the cache takes for a free slot, are left to the engine. */
  private compare(entry: number, position: number, tokens: number): void {
    const isSame =
      this.entryPosition.data[entry] === position &&
      this.entryTokens.data[entry] === tokens &&
      this.entryKey.data[entry] !== 0;
    if (!isSame) this.isPlain = false;
  }

  /** The columns; null when the run held something they cannot repeat. */
  finish(): RequestColumns | null {
    const requests = this.announced.length;
    if (!this.isPlain || this.run === null || this.end === null || this.end.requests !== requests)
      return null;
    this.lookFrom.push(this.look.length);
    this.marksFrom.push(this.marks.length);
    const floats = (name: (typeof NUMBERS)[number]): Float64Array =>
      exact(this.numbers[NUMBERS.indexOf(name)]!);
    const whole = (column: GrowableFloats): Int32Array => Int32Array.from(exact(column));
    return {
      requests,
      startMs: floats('startMs'),
      promptTokens: floats('promptTokens'),
      outputTokens: floats('outputTokens'),
      freshTokens: floats('freshTokens'),
      latencyMs: floats('latencyMs'),
      seen: floats('seen'),
      kept: floats('kept'),
      turn: Int32Array.from(floats('turn')),
      thread: Int32Array.from(floats('thread')),
      model: Int32Array.from(floats('model')),
      recordedTtlMs: floats('recordedTtlMs'),
      gapMs: floats('gapMs'),
      firstChanged: Int32Array.from(floats('firstChanged')),
      announced: this.announced,
      timelessCause: this.timelessCause,
      lookFrom: whole(this.lookFrom),
      look: whole(this.look),
      marksFrom: whole(this.marksFrom),
      marks: whole(this.marks),
      entryKey: exact(this.entryKey),
      entryPosition: whole(this.entryPosition),
      entryTokens: exact(this.entryTokens),
      threads: this.threads,
      models: this.models,
      run: this.run,
      others: this.others,
      end: this.end,
    };
  }
}

function exact(column: GrowableFloats): Float64Array {
  return column.data.slice(0, column.length);
}

/** A request as the loop itself makes it, with nothing deleted on the server, no announced compaction and one lifetime. */
function isPlain(out: Outgoing): boolean {
  const { breakpoints } = out;
  return (
    (out.purpose === 'main' || out.purpose === 'subagent') &&
    out.write === 'write' &&
    out.recordedLatencyMs !== null &&
    out.seen !== null &&
    out.deleted === null &&
    out.announced !== 'compaction' &&
    out.announced !== 'microcompaction' &&
    breakpoints.every(({ ttlMs }) => ttlMs === breakpoints[0]!.ttlMs)
  );
}

/** Before the cache has answered. */
const NO_ANSWER: CacheAnswer = { readTokens: 0, promptTokens: 0, entryTtlMs: null, sawUnreadable: false };
