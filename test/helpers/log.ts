import type {
  BreakEntry,
  CrossingEntry,
  FaultEntry,
  LayerEntry,
  RequestEntry,
  StatusEntry,
  ThreadEntry,
} from '../../src/core/run/log-entries.js';
import type { EndEntry, LogEntry, RunEntry } from '../../src/core/run/run-log.js';

/** The header of a log. */
export function runEntry(change: Partial<RunEntry> = {}): RunEntry {
  return {
    type: 'run',
    version: 2,
    name: 'tiny',
    seed: 7,
    policy: 'claude-code/2026',
    planDigest: 'abc',
    plan: {},
    transcript: {
      id: 't1',
      source: 'synthetic',
      agentVersion: null,
      carries: ['text'],
      threads: 1,
      calls: 3,
    },
    ...change,
  };
}

/** The start of a main thread. */
export function threadEntry(change: Partial<ThreadEntry> = {}): ThreadEntry {
  return {
    type: 'thread',
    t: 0,
    thread: 'main',
    parent: null,
    label: 'main',
    prefixTokens: 10,
    window: 200_000,
    ...change,
  };
}

/** A request whose prompt and cost are added up from its parts. */
export function requestEntry(change: Partial<Omit<RequestEntry, 'prompt' | 'cost'>> = {}): RequestEntry {
  const parts = {
    type: 'request' as const,
    t: 0,
    thread: 'main',
    n: 1,
    turn: 1,
    purpose: 'main' as const,
    model: 'claude-sonnet-4-5',
    read: 0,
    write5m: 0,
    write1h: 0,
    input: 0,
    output: 0,
    estimatedTokens: null,
    kept: null,
    uncompactedTokens: null,
    newTokens: 0,
    rewritten: 0,
    cause: null,
    latencyMs: 0,
    readCost: 0,
    writeCost: 0,
    inputCost: 0,
    outputCost: 0,
    rewriteCost: 0,
    ...change,
  };
  const prompt = parts.input + parts.read + parts.write5m + parts.write1h;
  return {
    ...parts,
    prompt,
    context: parts.context ?? prompt + parts.output,
    cost: parts.readCost + parts.writeCost + parts.inputCost + parts.outputCost,
  };
}

/** An action of a layer. */
export function layerEntry(change: Partial<LayerEntry> = {}): LayerEntry {
  return {
    type: 'layer',
    t: 0,
    thread: 'main',
    turn: 1,
    layer: 'full-compact',
    action: 'compact',
    trigger: 'auto',
    outcome: 'done',
    reason: 'over the threshold',
    failure: null,
    estimatedBefore: null,
    estimatedAfter: null,
    trueBefore: 0,
    trueAfter: 0,
    saved: 0,
    cacheLost: 0,
    calls: 0,
    cost: 0,
    details: {},
    ...change,
  };
}

/** A crossing of the untouched context alone. */
export function crossingEntry(change: Partial<CrossingEntry> = {}): CrossingEntry {
  return {
    type: 'crossing',
    t: 0,
    thread: 'main',
    turn: 1,
    state: 'avoided',
    threshold: 167_000,
    estimatedTokens: 100_000,
    uncompactedTokens: 167_000,
    layers: ['microcompact'],
    ...change,
  };
}

/** What a client shows of a limit of 100 tokens. */
export function statusEntry(change: Partial<StatusEntry> = {}): StatusEntry {
  const shown = { estimatedTokens: 90, limit: 100, percentLeft: 10, warning: true, error: false };
  return { type: 'status', t: 0, thread: 'main', turn: 1, n: 1, ...shown, ...change };
}

/** A cache break. */
export function breakEntry(change: Partial<BreakEntry> = {}): BreakEntry {
  return {
    type: 'break',
    t: 0,
    thread: 'main',
    n: 1,
    cause: 'ttl-5m',
    expected: false,
    lostTokens: 0,
    position: null,
    ...change,
  };
}

/** The last line of a log, in agreement with the entries before it. */
export function endEntry(entries: readonly LogEntry[], change: Partial<EndEntry> = {}): EndEntry {
  const requests = entries.filter((entry) => entry.type === 'request');
  let cost = 0;
  for (const request of requests) cost += request.cost;
  return { type: 'end', t: 0, turns: requests.length, requests: requests.length, cost, ...change };
}

/** Half a chance that an identifier of a read file has to be fetched. */
export function faultEntry(change: Partial<FaultEntry> = {}): FaultEntry {
  return {
    type: 'fault',
    t: 0,
    thread: 'main',
    turn: 9,
    kind: 'refetch',
    chance: 0.5,
    weight: 0.5,
    rounds: 1,
    tokens: 1_000,
    cost: 40,
    use: 'echo',
    origin: 'result',
    tool: 'Read',
    path: null,
    message: 'm',
    seenAt: 2,
    what: 'retry_limit',
    ...change,
  };
}
