import { prefixTokensOf } from '../../agent/client/recorded-client.js';
import { ratio } from '../../core/base/stats.js';
import { type Message, messageTokens } from '../../core/model/message.js';
import type { RequestTrace, TraceRequest } from '../../core/model/request-trace.js';
import { outputOf, type Thread, type Transcript } from '../../core/model/transcript.js';
import { promptTokens } from '../../core/model/usage.js';
import type { PricedCalls } from '../../core/run/recorded-bill.js';
import type { Prices } from '../../provider/prices/model-row.js';

/** Prices of a model in dollars per million tokens. */
type LifetimePrices = Omit<Prices, 'input'>;

/** The prices of a request by its model, its prompt, which may cross a price step, and its start; null if the model has none. */
export type PriceOf = (model: string, promptTokens: number, startMs: number) => LifetimePrices | null;

/** The lifetime that costs less. */
type CheaperLifetime = '5m' | '1h' | 'equal';

/** What the calls of one session that have a price cost with five-minute and with one-hour entries, and what decides between them. */
export interface SessionCost extends PricedCalls {
  readonly id: string;
  readonly cost5mUsd: number;
  readonly cost1hUsd: number;
  readonly cheaper: CheaperLifetime;
  /** What the one-hour writes cost more than five-minute writes of the same tokens. */
  readonly premiumUsd: number;
  /** What is saved by reading, after gaps of five minutes to an hour, what would be written again. */
  readonly savedUsd: number;
  /** What an hour saves on requests that no recording holds; below zero if it pays more for them. */
  readonly unrecordedUsd: number;
  /** Tokens of recorded requests read only thanks to the longer lifetime. */
  readonly rescuedTokens: number;
  /** Tokens that would have to be rescued for the one-hour premium to pay for itself. */
  readonly breakEvenTokens: number;
}

const FIVE_MINUTES_MS = 300_000; // CCH-1
const ONE_HOUR_MS = 3_600_000; // CCH-1
const PER_MILLION = 1e-6;
/** Differences below this are rounding, not money. */
const EQUAL_USD = 1e-9;

/** The lifetime that costs less, by what an hour costs more. */
export function cheaperLifetime(moreUsd: number): CheaperLifetime {
  if (Math.abs(moreUsd) < EQUAL_USD) return 'equal';
  return moreUsd > 0 ? '5m' : '1h';
}

interface Sums {
  cost5m: number;
  premium: number;
  saved: number;
  rescued: number;
  breakEven: number;
  calls: number;
  unpriced: number;
}

/**
 * Money of a session at both lifetimes: hits at the read price, the rest of each prompt written, output on top.
 * A request of another model than the one before it reads nothing; one of a model without a price is left out.
 */
export function lifetimeCosts(session: LifetimeSession, prices: PriceOf): SessionCost {
  const sums: Sums = { cost5m: 0, premium: 0, saved: 0, rescued: 0, breakEven: 0, calls: 0, unpriced: 0 };
  for (const thread of session.threads) addThread(sums, thread, prices);
  const difference = sums.premium - sums.saved;
  return {
    id: session.id,
    cost5mUsd: sums.cost5m,
    cost1hUsd: sums.cost5m + difference,
    cheaper: cheaperLifetime(difference),
    premiumUsd: sums.premium,
    savedUsd: sums.saved,
    unrecordedUsd: 0,
    rescuedTokens: sums.rescued,
    breakEvenTokens: Math.round(sums.breakEven),
    calls: sums.calls,
    unpricedCalls: sums.unpriced,
  };
}

function addThread(sums: Sums, thread: LifetimeThread, prices: PriceOf): void {
  for (let i = 0; i < thread.length; i++) {
    const prompt = thread.promptTokens[i]!;
    const price = prices(thread.models[i]!, prompt, thread.startMs[i]!);
    sums.calls++;
    if (price === null) {
      sums.unpriced++;
      continue;
    }
    const reusable = i > 0 && thread.models[i - 1] === thread.models[i] ? thread.reusableTokens[i]! : 0;
    const gapMs = i > 0 ? thread.startMs[i]! - thread.startMs[i - 1]! : Number.POSITIVE_INFINITY;
    const read5m = gapMs <= FIVE_MINUTES_MS ? reusable : 0;
    const read1h = gapMs <= ONE_HOUR_MS ? reusable : 0;
    const premium = price.cacheWrite1h - price.cacheWrite5m;
    const rewrite = price.cacheWrite5m - price.cacheRead;
    sums.cost5m += (read5m * price.cacheRead + (prompt - read5m) * price.cacheWrite5m) * PER_MILLION;
    sums.cost5m += thread.outputTokens[i]! * price.output * PER_MILLION;
    sums.premium += (prompt - read1h) * premium * PER_MILLION;
    sums.saved += (read1h - read5m) * rewrite * PER_MILLION;
    sums.rescued += read1h - read5m;
    if (rewrite > 0) sums.breakEven += ((prompt - read1h) * premium) / rewrite;
  }
}

/** The requests of one thread as columns: sizes are tokens, times whole milliseconds. */
interface LifetimeThread {
  readonly id: string;
  readonly length: number;
  readonly startMs: Float64Array;
  readonly promptTokens: Float64Array;
  /** Tokens a live cache entry of the thread's previous request would serve; 0 for the first request. */
  readonly reusableTokens: Float64Array;
  readonly outputTokens: Float64Array;
  readonly models: readonly string[];
}

/** One conversation with its subagents. */
export interface LifetimeSession {
  readonly id: string;
  readonly threads: readonly LifetimeThread[];
}

/** One request, for building a thread row by row. */
export interface LifetimeRequest
  extends Pick<TraceRequest, 'startMs' | 'promptTokens' | 'outputTokens' | 'model'> {
  readonly reusableTokens: number;
}

/** Hits at one lifetime; `ttlSeconds` null is an unlimited one, `hitRate` null a share of no tokens. */
export interface CurvePoint {
  readonly ttlSeconds: number | null;
  readonly hitTokens: number;
  readonly hitRate: number | null;
}

/** Lifetimes that are reported unless others are asked for; null is unlimited. */
export const LIFETIME_SECONDS: readonly (number | null)[] = [
  30,
  60,
  120,
  300,
  600,
  900,
  1_800,
  3_600,
  7_200,
  86_400,
  null,
];

/** Number of leading ids two prompts have in common. @internal */
export function commonLength(a: Uint32Array, b: Uint32Array): number {
  const length = a.length < b.length ? a.length : b.length;
  let i = 0;
  while (i < length && a[i] === b[i]) i++;
  return i;
}

/** Makes a thread from its requests, in order. @internal */
export function lifetimeThread(id: string, requests: readonly LifetimeRequest[]): LifetimeThread {
  const { length } = requests;
  const thread = emptyThread(id, length);
  for (let i = 0; i < length; i++) {
    const request = requests[i]!;
    thread.startMs[i] = request.startMs;
    thread.promptTokens[i] = request.promptTokens;
    thread.reusableTokens[i] = i === 0 ? 0 : Math.min(request.reusableTokens, request.promptTokens);
    thread.outputTokens[i] = request.outputTokens;
    thread.models.push(request.model);
  }
  return thread;
}

/** A thread with columns of a length, to be filled. */
function emptyThread(id: string, length: number): LifetimeThread & { readonly models: string[] } {
  return {
    id,
    length,
    startMs: new Float64Array(length),
    promptTokens: new Float64Array(length),
    reusableTokens: new Float64Array(length),
    outputTokens: new Float64Array(length),
    models: [],
  };
}

/**
 * The hit rate at every lifetime from one pass (E1): a request hits with its reusable tokens if and only if the
 * gap to the start of the thread's previous request is no longer than the lifetime.
 */
export function lifetimeCurve(
  sessions: readonly LifetimeSession[],
  ttlSeconds: readonly (number | null)[] = LIFETIME_SECONDS,
): readonly CurvePoint[] {
  const limits = Float64Array.from(ttlSeconds, (ttl) =>
    ttl === null ? Number.POSITIVE_INFINITY : ttl * 1_000,
  ).sort();
  const buckets = new Float64Array(limits.length + 1);
  let promptTokens = 0;
  for (const session of sessions) {
    for (const thread of session.threads) promptTokens += fillBuckets(thread, limits, buckets);
  }
  for (let i = 1; i < limits.length; i++) buckets[i]! += buckets[i - 1]!;
  return ttlSeconds.map((ttl) => {
    const hitTokens = buckets[limits.indexOf(ttl === null ? Number.POSITIVE_INFINITY : ttl * 1_000)]!;
    return { ttlSeconds: ttl, hitTokens, hitRate: ratio(hitTokens, promptTokens) };
  });
}

/** Adds each request's reusable tokens to the shortest lifetime that covers its gap; returns the prompt tokens. */
function fillBuckets(thread: LifetimeThread, limits: Float64Array, buckets: Float64Array): number {
  const { startMs, promptTokens, reusableTokens, length } = thread;
  let prompts = length > 0 ? promptTokens[0]! : 0;
  for (let i = 1; i < length; i++) {
    const gap = startMs[i]! - startMs[i - 1]!;
    let k = 0;
    while (k < limits.length && gap > limits[k]!) k++;
    buckets[k]! += reusableTokens[i]!;
    prompts += promptTokens[i]!;
  }
  return prompts;
}

/** Which threads of a source count. */
interface SessionOptions {
  /** Leaves subagents out. */
  readonly mainOnly?: boolean;
}

/** A request trace for the curve: reusable = leading blocks shared with the thread's previous request (E1). */
export function traceSession(trace: RequestTrace, options: SessionOptions = {}): LifetimeSession {
  const threads = trace.threads.filter((thread) => thread.parentId === null || options.mainOnly !== true);
  return {
    id: trace.id,
    threads: threads.map(({ id, requests }) => {
      const thread = emptyThread(id, requests.length);
      for (let i = 0; i < requests.length; i++) {
        const request = requests[i]!;
        thread.startMs[i] = request.startMs;
        thread.promptTokens[i] = request.promptTokens;
        thread.outputTokens[i] = request.outputTokens;
        thread.models.push(request.model);
        if (i === 0) continue;
        const shared = commonLength(requests[i - 1]!.hashIds, request.hashIds) * trace.blockSize;
        thread.reusableTokens[i] = shared < request.promptTokens ? shared : request.promptTokens;
      }
      return thread;
    }),
  };
}

/**
 * Any transcript for the curve: prompts from recorded usage, else from token counts; reusable is the whole
 * previous prompt, or tools and system where a recorded compaction lies between.
 */
export function transcriptSession(transcript: Transcript, options: SessionOptions = {}): LifetimeSession {
  const threads = transcript.threads.filter(
    (thread) => thread.parentId === null || options.mainOnly !== true,
  );
  return {
    id: transcript.id,
    threads: threads.map((thread) => lifetimeThread(thread.id, threadRequests(thread))),
  };
}

function threadRequests(thread: Thread): readonly LifetimeRequest[] {
  const requests: LifetimeRequest[] = [];
  const prefixTokens = prefixTokensOf(thread);
  const sizes = new Map<string, number>();
  let counted = prefixTokens;
  let reusable = 0;
  const add = (message: Message): void => {
    const tokens = messageTokens(message);
    sizes.set(message.id, tokens);
    counted += tokens;
  };
  for (const step of thread.steps) {
    if (step.kind === 'message') add(step.message);
    else if (step.kind === 'event' && step.event.kind === 'recorded-compaction') {
      counted = prefixTokens;
      for (const id of step.event.keptIds) counted += sizes.get(id) ?? 0;
      if (step.event.summary !== null) add(step.event.summary);
      reusable = prefixTokens;
    } else if (step.kind === 'event' && step.event.kind === 'clear') {
      counted = prefixTokens;
      reusable = prefixTokens;
    } else if (step.kind === 'call') {
      const { call } = step;
      const prompt = call.usage === null ? counted : promptTokens(call.usage);
      requests.push({
        startMs: Math.max(call.startMs, requests.at(-1)?.startMs ?? call.startMs),
        promptTokens: prompt,
        reusableTokens: reusable,
        outputTokens: outputOf(call),
        model: call.model,
      });
      reusable = prompt;
      add(call.response);
    }
  }
  return requests;
}
