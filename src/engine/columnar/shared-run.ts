import { Limits } from '../../model/limit.js';
import type { LayerEntry, LogEntry, LogSink, RunEntry, SummingSink } from '../../model/run-log.js';
import type { RunPlan } from '../../model/run-plan.js';
import type { Transcript } from '../../model/transcript.js';
import { policyOf } from '../../policies/catalogue.js';
import { firedAt } from '../../tiers/auto-compact/history.js';
import { ShownStatus, type StatusCheck } from '../requests/shown-status.js';
import { NO_TIMING } from '../requests/timing-sink.js';
import { replayParts } from '../run/replay.js';
import { runEntryOf } from './run-entry.js';

/** Entries between two chances to do something else. */
const ENTRIES_PER_PART = 4_096;

/** An entry of the log, or what one follows from once the limits are known. */
type Item = LogEntry | StatusCheck;

/**
 * A run of the engine that stands for all plans which differ from its own in limits alone, as long as every comparison with
 * a limit comes out as it did: the same happens in them, and what the log tells of the limits is told anew.
 */
export class SharedRun {
  private readonly items: Item[] = [];
  private readonly limits: Limits;
  private run: RunEntry | null = null;
  /** What a sink made of it, and the items that limits have a say in. */
  private summed: { readonly sum: unknown; readonly items: readonly Item[] } | null = null;

  constructor(private readonly plan: RunPlan) {
    this.limits = new Limits(plan.policy);
  }

  /** Entries it keeps. */
  get size(): number {
    return this.items.length;
  }

  /** Runs the engine, and fills a sink on the way. */
  *record(transcript: Transcript, sink: LogSink): Generator<void, void, void> {
    const { plan, limits, items } = this;
    const status = new Statuses(plan);
    const write = (entry: LogEntry): void => {
      if (entry.type === 'run') this.run = entry;
      else items.push(entry);
      sink.write(entry);
    };
    const onStatus = (check: StatusCheck): void => {
      items.push(check);
      const entry = status.at(check);
      if (entry !== null) sink.write(entry);
    };
    yield* replayParts(plan, transcript, { write }, NO_TIMING, { onStatus, limits });
    if (isSumming(sink)) this.summed = { sum: sink.finish(), items: items.filter(isLimited) };
  }

  /** Limits of another plan of the same shape by those of this one; null when the run would go another way. */
  limitsUnder(plan: RunPlan, known: Map<string, number>): ReadonlyMap<number, number> | null {
    return this.limits.under(plan.policy, known);
  }

  /** Writes the log of another plan. */
  *retell(plan: RunPlan, limits: ReadonlyMap<number, number>, sink: LogSink): Generator<void, void, void> {
    let items: readonly Item[] = this.items;
    const status = new Statuses(plan);
    if (this.summed !== null && isSumming(sink)) {
      sink.resume(this.summed.sum);
      items = this.summed.items;
    }
    sink.write(runEntryOf(this.run!, plan));
    for (let i = 0; i < items.length; i++) {
      if (i % ENTRIES_PER_PART === ENTRIES_PER_PART - 1) yield;
      const item = items[i]!;
      switch (item.type) {
        case 'status-check': {
          const entry = status.at(item);
          if (entry !== null) sink.write(entry);
          break;
        }
        case 'layer':
          sink.write(withLimits(item, limits));
          break;
        case 'crossing':
          sink.write({ ...item, threshold: limits.get(item.threshold)! });
          break;
        default:
          sink.write(item);
      }
    }
  }
}

function isSumming(sink: LogSink): sink is SummingSink {
  return 'resume' in sink;
}

/** Whether limits have a say in what becomes of an item in the log or in its sums. */
function isLimited(item: Item): boolean {
  if (item.type === 'request') return item.purpose === 'main';
  return (
    item.type === 'status-check' || (item.type === 'layer' && typeof item.details.overshoot === 'number')
  );
}

/** What the client shows of each main conversation. */
class Statuses {
  private readonly byThread = new Map<string, ShownStatus>();
  private latest: ShownStatus | null = null;
  private latestThread = '';

  constructor(private readonly plan: RunPlan) {}

  at(check: StatusCheck): ReturnType<ShownStatus['at']> {
    const { thread } = check;
    if (this.latest === null || this.latestThread !== thread) {
      let status = this.byThread.get(thread);
      if (status === undefined) {
        const { policy } = this.plan;
        status = new ShownStatus(policyOf(policy), policy);
        this.byThread.set(thread, status);
      }
      this.latest = status;
      this.latestThread = thread;
    }
    return this.latest.at(check);
  }
}

/** What a layer tells of the limit that it fired at (BRK-4, WIN-8). */
function withLimits(entry: LayerEntry, limits: ReadonlyMap<number, number>): LayerEntry {
  const { threshold, overshoot } = entry.details;
  if (typeof threshold !== 'number' || typeof overshoot !== 'number') return entry;
  const other = limits.get(threshold)!;
  if (other === threshold) return entry;
  const details: Record<string, unknown> = Object.assign(
    Object.create(Object.getPrototypeOf(entry.details) as object | null) as object,
    entry.details,
  );
  details.threshold = other;
  const seen = Math.round(threshold + overshoot);
  if (overshoot > 0) details.overshoot = seen - other;
  const isFired = entry.reason === firedAt(seen, threshold);
  return { ...entry, details, reason: isFired ? firedAt(seen, other) : entry.reason };
}
