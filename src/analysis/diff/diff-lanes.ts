import { sum } from '../../core/base/stats.js';
import { usd } from '../../metrics/metric.js';
import { explainAct, explainPair, type Reason } from './explain.js';
import type { Lane, LanePair, LaneRequest } from './lane.js';

/** A request that the two lanes do not share. */
export interface Difference extends Reason {
  /** Its number in the first lane, or in the second where the first has none. */
  readonly request: number;
  readonly thread: string;
  readonly turn: number;
  readonly purpose: string;
  readonly a: Figures | null;
  readonly b: Figures | null;
  /** What the second costs more; null if one of them has no price. */
  readonly costUsd: number | null;
}

/** Two lanes side by side. */
export interface LaneDiff {
  readonly a: LaneSum;
  readonly b: LaneSum;
  readonly firstDifference: Difference | null;
  readonly differences: readonly Difference[];
  readonly pairs: readonly LanePair[];
  /** Requests that a client makes and no recording holds; left out beside one. */
  readonly unrecorded: { readonly requests: number; readonly costUsd: number };
  /** Whether both are of one session; null if a side does not tell. */
  readonly sameSession: boolean | null;
  /** Whether one plan made both: then nothing could differ. */
  readonly samePlan: boolean;
}

/** Names a request by what both lanes know of it; several of one kind in a turn are counted. */
function keysOf(lane: Lane): readonly string[] {
  const counts = new Map<string, number>();
  return lane.requests.map(({ thread, turn, purpose }) => {
    const base = JSON.stringify([thread, turn, purpose]);
    const count = (counts.get(base) ?? 0) + 1;
    counts.set(base, count);
    return `${base} ${count}`;
  });
}

/** Pairs the requests of two lanes in the order of the first; those of the second alone come before the next shared one. @internal */
export function alignLanes(a: Lane, b: Lane): readonly LanePair[] {
  const keysA = keysOf(a);
  const keysB = keysOf(b);
  const placeA = new Set(keysA);
  const placeB = new Map(keysB.map((key, i) => [key, i]));
  const pairs: LanePair[] = [];
  let next = 0;
  const alone = (until: number): void => {
    for (; next < until; next++) if (!placeA.has(keysB[next]!)) pairs.push({ a: null, b: b.requests[next]! });
  };
  for (const [i, key] of keysA.entries()) {
    const at = placeB.get(key);
    if (at !== undefined) alone(at);
    pairs.push({ a: a.requests[i]!, b: at === undefined ? null : b.requests[at]! });
  }
  alone(keysB.length);
  return pairs;
}

function figuresOf({ n, prompt, read, written, costNano, prices }: LaneRequest) {
  return { request: n, prompt, read, written, costUsd: prices === null ? null : usd(costNano) };
}

/** The figures of one side; the cost is null if its model has no price. */
export type Figures = Readonly<ReturnType<typeof figuresOf>>;

function sumOf({ title, requests }: Lane) {
  const unpricedRequests = requests.filter(({ prices }) => prices === null).length;
  const isUnpriced = unpricedRequests > 0 && unpricedRequests === requests.length;
  const costUsd = isUnpriced ? null : usd(sum(requests.map(({ costNano }) => costNano)));
  return { title, requests: requests.length, unpricedRequests, costUsd };
}

/** A lane in a line; the cost is without requests that have no price, and null if none has. */
export type LaneSum = Readonly<ReturnType<typeof sumOf>>;

/** What the second costs more; null if a price is missing. */
function moreOf({ a, b }: LanePair): number | null {
  if (a?.prices === null || b?.prices === null) return null;
  return usd((b?.costNano ?? 0) - (a?.costNano ?? 0));
}

/** Without the requests that only a run knows of: suggestions, summaries and other work of layers. */
function recordable(lane: Lane): Lane {
  const requests = lane.requests.filter(isLoop);
  return { ...lane, requests };
}

/** A layer's own request that one lane makes alone has the reason for which the layer acts: the loop's next request tells it. */
function reasonAt(pairs: readonly LanePair[], at: number, tolerance: number): Reason | null {
  const pair = pairs[at]!;
  const reason = explainPair(pair, tolerance);
  const own = (pair.a ?? pair.b)!;
  if (reason?.kind !== 'missing' || isLoop(own)) return reason;
  for (let i = at + 1; i < pairs.length; i++) {
    const { a, b } = pairs[i]!;
    if (a === null || b === null || a.thread !== own.thread || !isLoop(a)) continue;
    const acted = explainAct(a, b);
    return acted === null ? reason : { kind: acted.kind, reason: `${reason.reason}; ${acted.reason}` };
  }
  return reason;
}

function isLoop({ purpose }: LaneRequest): boolean {
  return purpose === 'main' || purpose === 'subagent';
}

/** Finds where two lanes part, and every request that differs; figures within the tolerance (a share) are the same. */
export function diffLanes(laneA: Lane, laneB: Lane, tolerance: number): LaneDiff {
  const isRecorded = laneA.source === 'recorded' || laneB.source === 'recorded';
  const [a, b] = isRecorded ? [recordable(laneA), recordable(laneB)] : [laneA, laneB];
  const pairs = alignLanes(a, b);
  const differences: Difference[] = [];
  for (const [i, pair] of pairs.entries()) {
    const reason = reasonAt(pairs, i, tolerance);
    if (reason === null) continue;
    const { thread, turn, purpose, n } = (pair.a ?? pair.b)!;
    differences.push({
      request: n,
      thread,
      turn,
      purpose,
      ...reason,
      a: pair.a && figuresOf(pair.a),
      b: pair.b && figuresOf(pair.b),
      costUsd: moreOf(pair),
    });
  }
  const [sumA, sumB] = [sumOf(a), sumOf(b)];
  const all = [sumOf(laneA), sumOf(laneB)];
  const left = (pick: (of: LaneSum) => number): number => sum(all.map(pick)) - pick(sumA) - pick(sumB);
  return {
    a: sumA,
    b: sumB,
    firstDifference: differences[0] ?? null,
    differences,
    pairs,
    unrecorded: {
      requests: left(({ requests }) => requests),
      costUsd: Math.max(
        0,
        left(({ costUsd }) => costUsd ?? 0),
      ),
    },
    sameSession: laneA.session === null || laneB.session === null ? null : laneA.session === laneB.session,
    samePlan: laneA.plan !== null && laneA.plan === laneB.plan,
  };
}
