import { ratio } from '../../core/base/stats.js';

/** The requests of one thread as columns: sizes are tokens, times whole milliseconds. */
export interface LifetimeThread {
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
export interface LifetimeRequest {
  readonly startMs: number;
  readonly promptTokens: number;
  readonly reusableTokens: number;
  readonly outputTokens: number;
  readonly model: string;
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

/** Number of leading ids two prompts have in common. */
export function commonLength(a: Uint32Array, b: Uint32Array): number {
  const length = a.length < b.length ? a.length : b.length;
  let i = 0;
  while (i < length && a[i] === b[i]) i++;
  return i;
}

/** Makes a thread from its requests, in order. */
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
export function emptyThread(id: string, length: number): LifetimeThread & { readonly models: string[] } {
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
