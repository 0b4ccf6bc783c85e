import { policyOf } from '../../agent/policies/catalogue.js';
import type { Mutable } from '../../core/base/mutable.js';
import { copyNameTable, isNameTable } from '../../core/base/own-value.js';
import type { Transcript } from '../../core/model/transcript.js';
import { firedAt, Limits } from '../../core/run/limit.js';
import type { LayerEntry } from '../../core/run/log-entries.js';
import type { LogEntry, LogSink, RunEntry, SummingSink } from '../../core/run/run-log.js';
import type { RunPlan } from '../../core/run/run-plan.js';
import { NO_TIMING } from '../requests/run-env.js';
import { ShownStatus, type StatusCheck } from '../requests/shown-status.js';
import { Checkpoint, canCheckpoint } from '../run/checkpoint.js';
import { replayParts, runEntryOf } from '../run/replay.js';
import type { ThreadRun } from '../thread/thread-run.js';

/** What a run logged; what its client could show replaces what it showed. */
type TraceItem = LogEntry | StatusCheck;

/** Where the run of another plan leaves a trace. */
interface ForkPoint {
  readonly trace: RunTrace;
  /** What both runs logged up to there, the entry of the run left out. */
  readonly prefix: readonly TraceItem[];
  readonly checkpoint: Checkpoint;
  /** The limits of the plan by those of the trace. */
  readonly limits: ReadonlyMap<number, number>;
}

/**
 * The trace of a run: what it logged, and checkpoints from before a limit was met. A plan whose limits are higher leaves it at the
 * first count they are above, so checkpoints are worth keeping only where a count is lower than all before.
 */
export class RunTrace {
  run: RunEntry | null = null;
  private items: TraceItem[] = [];
  private checkpoints: { readonly at: number; readonly checkpoint: Checkpoint }[] = [];

  /** What it takes to keep it, in entries: a checkpoint holds about as much as was logged up to it. */
  get size(): number {
    return this.checkpoints.reduce((items, { at }) => items + at, this.items.length);
  }

  add(item: TraceItem): void {
    if (item.type === 'run') this.run = item;
    else this.items.push(item);
  }

  /** A limit is about to be met by a count that is lower than all before. */
  addCheckpoint(run: ThreadRun, transcript: Transcript, layer: number): void {
    const checkpoint = Checkpoint.of(run, transcript, layer);
    if (checkpoint !== null) this.checkpoints.push({ at: this.items.length, checkpoint });
  }

  /** The last checkpoint up to which a plan runs the same; null if there is none. */
  forkPointFor(plan: RunPlan, known: Map<string, number>): ForkPoint | null {
    for (let i = this.checkpoints.length - 1; i >= 0; i--) {
      const { at, checkpoint } = this.checkpoints[i]!;
      const limits = checkpoint.limits.under(plan.policy, known);
      if (limits !== null) return { trace: this, prefix: this.items.slice(0, at), checkpoint, limits };
    }
    return null;
  }

  /**
   * Becomes the trace of another plan, with the checkpoints before its fork point. A trace of its own would hold on to this one:
   * what a run was started with lives as long as any checkpoint that descends from it.
   */
  continueFrom({ checkpoint, prefix }: ForkPoint, { policy }: RunPlan): void {
    this.items = [];
    this.checkpoints = this.checkpoints.filter(
      (other) => other.at <= prefix.length && other.checkpoint !== checkpoint,
    );
    for (const other of this.checkpoints) other.checkpoint.limits.become(policy);
  }
}

/** Items between two chances to do something else. */
const ITEMS_PER_PART = 4_096;

/** What a plan and the sums of a run take, in items. */
const SUM_SIZE = 150;

/** A request of a main loop, for sums. */
interface SeenRequest {
  readonly type: 'seen';
  readonly thread: string;
  readonly tokens: number;
}

/** An entry of the log, or what one follows from once the limits are known. */
type Item = TraceItem | SeenRequest;

/**
 * A run of the engine that represents all plans which differ from its own in limits alone, as long as every comparison with
 * a limit comes out as it did: the same happens in them, and only what the log says about limits is written for each.
 */
export class SharedRun {
  /** All entries; for a sink that sums up, those that limits affect. */
  private readonly items: Item[] = [];
  limits: Limits;
  private run: RunEntry | null = null;
  /** What a sink made of it. */
  private sum: unknown = null;

  constructor(
    private readonly plan: RunPlan,
    private readonly keeps: 'entries' | 'sum',
  ) {
    this.limits = new Limits(plan.policy);
  }

  /** What it takes to keep it, in items. */
  get size(): number {
    return this.items.length + SUM_SIZE;
  }

  /** Runs the engine and fills a sink; returns the trace where others may fork from it. */
  *record(transcript: Transcript, sink: LogSink): Generator<void, RunTrace | null, void> {
    const { plan, limits } = this;
    const trace = canCheckpoint(plan, transcript) ? new RunTrace() : null;
    const { log, onStatus, onAct } = this.listeners(transcript, sink, trace);
    const listeners = trace === null ? { onStatus, limits } : { onStatus, limits, onAct };
    yield* replayParts(plan, transcript, log, NO_TIMING, listeners);
    this.finish(sink);
    return trace;
  }

  /** The same from a fork point of another trace on: what went before is logged again. */
  *recordFrom(fork: ForkPoint, transcript: Transcript, sink: LogSink): Generator<void, RunTrace, void> {
    const { plan } = this;
    const { trace } = fork;
    trace.continueFrom(fork, plan);
    const { log, onStatus, onAct } = this.listeners(transcript, sink, trace);
    log.write(runEntryOf(trace.run!, plan));
    for (const item of fork.prefix) {
      if (item.type === 'status-check') onStatus(item);
      else log.write(entryUnder(item, fork.limits));
    }
    this.limits = fork.checkpoint.limits;
    yield* fork.checkpoint.resume(plan.policy, { sink: log, onStatus, onAct });
    this.finish(sink);
    return trace;
  }

  private listeners(transcript: Transcript, sink: LogSink, trace: RunTrace | null) {
    const { items } = this;
    const status = new Statuses(this.plan);
    const isSumming = this.keeps === 'sum';
    const keep = isSumming ? limitedItem : (entry: LogEntry): Item => entry;
    const write = (entry: LogEntry): void => {
      trace?.add(entry);
      const item = keep(entry);
      if (entry.type === 'run') this.run = entry;
      else if (item !== null) items.push(item);
      sink.write(entry);
    };
    return {
      log: { write, isSumming },
      onStatus: (check: StatusCheck): void => {
        trace?.add(check);
        items.push(check);
        const entry = status.at(check);
        if (entry !== null) sink.write(entry);
      },
      onAct: (run: ThreadRun, layer: number): void => trace?.addCheckpoint(run, transcript, layer),
    };
  }

  private finish(sink: LogSink): void {
    if (isSumming(sink)) this.sum = sink.finish();
  }

  /** Writes the log of another plan, or what a sum needs of it. */
  *logFor(plan: RunPlan, limits: ReadonlyMap<number, number>, sink: LogSink): Generator<void, void, void> {
    const { items } = this;
    const status = new Statuses(plan);
    const summing = isSumming(sink) ? sink : null;
    summing?.resume(this.sum);
    sink.write(runEntryOf(this.run!, plan));
    for (let i = 0; i < items.length; i++) {
      if (i % ITEMS_PER_PART === ITEMS_PER_PART - 1) yield;
      const item = items[i]!;
      if (item.type === 'seen') summing?.seen(item.thread, item.tokens);
      else if (item.type === 'status-check') {
        const entry = status.at(item);
        if (entry !== null) sink.write(entry);
      } else sink.write(entryUnder(item, limits));
    }
  }
}

/** An entry as a run with other limits logs it. */
function entryUnder(entry: LogEntry, limits: ReadonlyMap<number, number>): LogEntry {
  if (entry.type === 'layer') return withLimits(entry, limits);
  return entry.type === 'crossing' ? { ...entry, threshold: limits.get(entry.threshold)! } : entry;
}

/** Whether a sink sums runs up. */
export function isSumming(sink: LogSink): sink is SummingSink {
  return sink.isSumming === true;
}

/** What of an entry limits affect; null when they affect nothing. */
function limitedItem(entry: LogEntry): Item | null {
  if (entry.type === 'request')
    return entry.purpose === 'main' && entry.estimatedTokens !== null
      ? { type: 'seen', thread: entry.thread, tokens: entry.estimatedTokens }
      : null;
  if (entry.type !== 'layer' || typeof entry.details.overshoot !== 'number') return null;
  const { threshold, overshoot } = entry.details;
  const item: Mutable<LayerEntry> = { ...entry };
  item.details = { threshold, overshoot }; // the rest may hold on to a whole conversation
  return item;
}

/** What the client shows of each main conversation. */
class Statuses {
  private readonly byThread = new Map<string, ShownStatus>();

  constructor(private readonly plan: RunPlan) {}

  at(check: StatusCheck): ReturnType<ShownStatus['at']> {
    let status = this.byThread.get(check.thread);
    if (status === undefined) {
      const { policy } = this.plan;
      status = new ShownStatus(policyOf(policy), policy);
      this.byThread.set(check.thread, status);
    }
    return status.at(check);
  }
}

/** A layer's entry with the limit that it fired at (BRK-4, WIN-8). */
function withLimits(entry: LayerEntry, limits: ReadonlyMap<number, number>): LayerEntry {
  const { threshold, overshoot } = entry.details;
  if (typeof threshold !== 'number' || typeof overshoot !== 'number') return entry;
  const other = limits.get(threshold)!;
  if (other === threshold) return entry;
  const details = isNameTable(entry.details) ? copyNameTable(entry.details) : { ...entry.details };
  details.threshold = other;
  const seen = Math.round(threshold + overshoot);
  if (overshoot > 0) details.overshoot = seen - other;
  const own: Mutable<LayerEntry> = { ...entry };
  own.details = details;
  if (entry.reason === firedAt(seen, threshold)) own.reason = firedAt(seen, other);
  return own;
}
