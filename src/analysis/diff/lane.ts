import { dayStartMs } from '../../core/base/clock.js';
import type { RecordedCall, Thread, ThreadEvent, Transcript } from '../../core/model/transcript.js';
import { cacheWriteTokens, promptTokens, type Usage } from '../../core/model/usage.js';
import type { LayerEntry, RequestEntry } from '../../core/run/log-entries.js';
import type { RecordedBill } from '../../core/run/recorded-bill.js';
import type { LogEntry, RunEntry } from '../../core/run/run-log.js';
import type { ModelRow, Prices } from '../../provider/prices/model-row.js';
import { findModel, modelsOf } from '../../provider/prices/models.js';
import {
  NEWEST,
  NO_COST,
  type PriceTimes,
  pricesFor,
  priceTimes,
  priceUsage,
} from '../../provider/prices/price.js';
import { billedUsage, recordedBill } from '../../provider/prices/recorded-bill.js';
import { withUntoldWrites } from '../../provider/providers/providers.js';

/** What a layer did before a request. */
export interface LaneAct {
  readonly layer: string;
  readonly action: string;
  readonly outcome: 'done' | 'failed' | 'declined';
  readonly reason: string;
  /** The context as the policy's counter saw it; null if nobody counted. */
  readonly seen: number | null;
  readonly saved: number | null;
}

/** One request of a lane. */
export interface LaneRequest
  extends Pick<RequestEntry, 'thread' | 'n' | 't' | 'model' | 'prompt' | 'read' | 'input' | 'output'> {
  /** Call of its thread, from 1: what two lanes are aligned by. */
  readonly turn: number;
  readonly purpose: string;
  readonly written: number;
  readonly costNano: number;
  /** Dollars per million tokens for its prompt; null if its model has no price, so that it counts as nothing. */
  readonly prices: Prices | null;
  /** What the policy's counter said before it; null if nobody counted. */
  readonly seen: number | null;
  /** The size at which nothing is left, as the client shows it; null if it shows none. */
  readonly limit: number | null;
  /** Why cached tokens were not read; null if all were, or nobody tells. */
  readonly cause: string | null;
  /** What layers did since the request before it. */
  readonly acts: readonly LaneAct[];
}

/** The same request in two lanes; one of them may not have it. */
export interface LanePair {
  readonly a: LaneRequest | null;
  readonly b: LaneRequest | null;
}

/** A run or a recording as a sequence of requests. */
export interface Lane {
  readonly title: string;
  readonly source: 'run' | 'recorded';
  /** Name of the session; null if nothing tells. */
  readonly session: string | null;
  /** Digest of the plan of a run; null for a recording, or where nothing tells. */
  readonly plan: string | null;
  /** What a recording was billed, as far as its requests do not tell; left out for a run. */
  readonly bill?: RecordedBill;
  readonly requests: readonly LaneRequest[];
}

function actOf({ layer, action, outcome, reason, estimatedBefore, saved }: LayerEntry): LaneAct {
  return { layer, action, outcome, reason, seen: estimatedBefore, saved };
}

/** Collects the lane of a run from its log, entry by entry. */
export class LaneWriter {
  readonly #requests: LaneRequest[] = [];
  readonly #limits = new Map<string, number>();
  readonly #acts = new Map<string, LaneAct[]>();
  #run: RunEntry | null = null;

  write(entry: LogEntry): void {
    if (entry.type === 'run') this.#run = entry;
    else if (entry.type === 'status') this.#limits.set(entry.thread, entry.limit);
    else if (entry.type === 'layer')
      this.#acts.set(entry.thread, [...this.#actsOf(entry.thread), actOf(entry)]);
    else if (entry.type === 'request') this.#add(entry);
  }

  /** The prices of a request. A log tells no day: what the request cost tells which prices it had. */
  #pricesOf({ model, prompt, read, write5m, write1h, input, output, cost }: RequestEntry): Prices | null {
    const row = modelsOf((this.#run?.plan ?? {}) as Parameters<typeof modelsOf>[0]).find(model);
    if (row?.pricesAreKnown !== true) return null;
    const usage = { input, cacheRead: read, cacheWrite5m: write5m, cacheWrite1h: write1h, output };
    const moments = [NEWEST, ...row.earlier.map(({ until }) => dayStartMs(until)! - 1)];
    const atMs = moments.find((each) => priceUsage(row, usage, each).totalNano === cost) ?? NEWEST;
    return pricesFor(row, prompt, atMs);
  }

  #actsOf(thread: string): LaneAct[] {
    return this.#acts.get(thread) ?? [];
  }

  /** A request that a layer makes for itself comes before what the layer reports; acts wait for the loop's next request. */
  #add(entry: RequestEntry): void {
    const { thread, purpose } = entry;
    const isLoop = purpose === 'main' || purpose === 'subagent';
    this.#requests.push({
      thread,
      turn: entry.turn,
      purpose,
      n: entry.n,
      t: entry.t,
      model: entry.model,
      prompt: entry.prompt,
      read: entry.read,
      written: entry.write5m + entry.write1h,
      input: entry.input,
      output: entry.output,
      costNano: entry.cost,
      prices: this.#pricesOf(entry),
      seen: entry.estimatedTokens,
      limit: this.#limits.get(thread) ?? null,
      cause: entry.cause,
      acts: isLoop ? this.#actsOf(thread) : [],
    });
    if (isLoop) this.#acts.delete(thread);
  }

  finish(): Lane {
    const run = this.#run;
    const title =
      run === null ? 'run' : `${run.name} · ${run.policy} · ${run.transcript.id} · seed ${run.seed}`;
    return {
      title,
      source: 'run',
      session: run?.transcript.id ?? null,
      plan: run?.planDigest ?? null,
      requests: this.#requests,
    };
  }
}

/** The lane of a log. */
export function laneOfLog(entries: Iterable<LogEntry>): Lane {
  const writer = new LaneWriter();
  for (const entry of entries) writer.write(entry);
  return writer.finish();
}

function recordedAct(event: ThreadEvent): LaneAct | null {
  switch (event.kind) {
    case 'recorded-compaction':
      return {
        layer: 'full-compact',
        action: 'compact',
        outcome: 'done',
        reason: `recorded, ${event.trigger === 'auto' ? 'automatic' : 'by hand'}`,
        seen: event.preTokens,
        saved: null,
      };
    case 'recorded-microcompact':
      return {
        layer: 'microcompact',
        action: 'clear',
        outcome: 'done',
        reason: 'recorded',
        seen: event.preTokens,
        saved: event.tokensSaved,
      };
    default:
      return null;
  }
}

/** What a call was billed, beside which a run is held: with the writes that the rules of its provider bill, where it tells none. */
function usageOf(call: RecordedCall, row: ModelRow | null, writes: 'recorded' | 'assumed'): Usage | null {
  const usage = billedUsage(call);
  return usage === null || row === null || writes === 'recorded' ? usage : withUntoldWrites(row, usage);
}

function requestsOf(
  thread: Thread,
  writes: 'recorded' | 'assumed',
  pricedAt: PriceTimes,
): readonly Omit<LaneRequest, 'n'>[] {
  const found: Omit<LaneRequest, 'n'>[] = [];
  let turn = 0;
  let acts: LaneAct[] = [];
  for (const step of thread.steps) {
    if (step.kind === 'event') {
      const act = recordedAct(step.event);
      if (act !== null) acts.push(act);
    }
    if (step.kind !== 'call') continue;
    turn++;
    const row = findModel(step.call.model);
    const usage = usageOf(step.call, row, writes);
    if (usage === null) continue;
    const atMs = pricedAt(step.call.startMs);
    found.push({
      thread: thread.id,
      turn,
      purpose: thread.parentId === null ? 'main' : 'subagent',
      t: step.call.startMs,
      model: row?.id ?? step.call.model,
      prompt: promptTokens(usage),
      read: usage.cacheRead,
      written: cacheWriteTokens(usage),
      input: usage.input,
      output: usage.output,
      costNano: (row === null ? NO_COST : priceUsage(row, usage, atMs)).totalNano,
      prices: row === null ? null : pricesFor(row, promptTokens(usage), atMs),
      seen: null,
      limit: null,
      cause: step.call.missReason,
      acts,
    });
    acts = [];
  }
  return found;
}

/** What a recording tells of its own requests, all threads by time. */
export function laneOfRecording(transcript: Transcript): Lane {
  const writes = transcript.carries.includes('cache-writes') ? 'recorded' : 'assumed';
  const pricedAt = priceTimes(transcript);
  const requests = transcript.threads
    .flatMap((thread) => requestsOf(thread, writes, pricedAt))
    .sort((a, b) => a.t - b.t)
    .map((request, i) => ({ ...request, n: i + 1 }));
  // Assumed writes are in the costs of the requests.
  const bill = recordedBill(transcript);
  const assumed =
    writes === 'assumed' && requests.some(({ written }) => written > 0)
      ? ', with writes that it does not report'
      : '';
  return {
    title: `${transcript.id} as recorded${assumed}`,
    source: 'recorded',
    session: transcript.id,
    plan: null,
    ...(bill === null ? {} : { bill: { ...bill, untoldWritesNano: 0 } }),
    requests,
  };
}
