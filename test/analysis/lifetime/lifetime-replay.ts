import type { RequestTrace, TraceRequest } from '../../../src/core/model/request-trace.js';

interface CachedPrompt {
  readonly ids: Uint32Array;
  readonly expiresMs: number;
}

/** Sums of a replay at one lifetime. */
export interface LifetimeReplay {
  readonly requests: number;
  readonly hitTokens: number;
  readonly promptTokens: number;
}

/**
 * Replays a trace at one lifetime (null: unlimited) request by request in the order of time, with one cached
 * prompt per thread that expires. Slower than the curve and independent of it: each proves the other.
 */
export function replayAtLifetime(trace: RequestTrace, ttlSeconds: number | null): LifetimeReplay {
  const ttlMs = ttlSeconds === null ? Number.POSITIVE_INFINITY : ttlSeconds * 1_000;
  const cached = new Map<string, CachedPrompt>();
  let hitTokens = 0;
  let promptTokens = 0;
  const queue = inOrderOfTime(trace);
  for (const { threadId, request } of queue) {
    const entry = cached.get(threadId);
    if (entry !== undefined && request.startMs <= entry.expiresMs) {
      hitTokens += readTokens(entry.ids, request, trace.blockSize);
    }
    promptTokens += request.promptTokens;
    cached.set(threadId, { ids: request.hashIds, expiresMs: request.startMs + ttlMs });
  }
  return { requests: queue.length, hitTokens, promptTokens };
}

function inOrderOfTime(
  trace: RequestTrace,
): readonly { readonly threadId: string; readonly request: TraceRequest }[] {
  return trace.threads
    .flatMap((thread) => thread.requests.map((request) => ({ threadId: thread.id, request })))
    .sort((a, b) => a.request.startMs - b.request.startMs);
}

function readTokens(cached: Uint32Array, request: TraceRequest, blockSize: number): number {
  let tokens = 0;
  for (let i = 0; i < request.hashIds.length && cached[i] === request.hashIds[i]; i++) tokens += blockSize;
  return Math.min(tokens, request.promptTokens);
}
