import type { RequestEntry } from '../../core/run/run-log.js';

/** A stretch of time without any request. */
export interface IdleGap {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Silence longer than the shorter cache lifetime is idle time (CCH-1). */
const IDLE_AFTER_MS = 300_000;

/** Gaps that are drawn of one long run. */
const MAX_GAPS = 1_000;

/** Finds the idle times of a run while its requests come in. */
export interface IdleGaps {
  add(request: Pick<RequestEntry, 't' | 'latencyMs'>): void;
  /** All of them, in the order of time. */
  all(): readonly IdleGap[];
  /** The longest ones, as many as can be drawn. */
  longest(): readonly IdleGap[];
}

/** The idle times of requests in any order. */
export function idleGaps(requests: readonly RequestEntry[]): readonly IdleGap[] {
  const found = createIdleGaps();
  for (const request of [...requests].sort((a, b) => a.t - b.t)) found.add(request);
  return found.all();
}

/** Starts with no request; one that begins earlier than those before it cuts the gaps it falls into. */
export function createIdleGaps(): IdleGaps {
  let gaps: IdleGap[] = [];
  let busyUntil: number | null = null;
  const cut = (fromMs: number, toMs: number): void => {
    const late: IdleGap[] = [];
    for (let gap = gaps.at(-1); gap !== undefined && gap.toMs > fromMs; gap = gaps.at(-1)) {
      gaps.pop();
      const parts = [
        { fromMs: gap.fromMs, toMs: Math.min(gap.toMs, fromMs) },
        { fromMs: Math.max(gap.fromMs, toMs), toMs: gap.toMs },
      ];
      late.unshift(...parts.filter((part) => part.toMs - part.fromMs > IDLE_AFTER_MS));
    }
    gaps = [...gaps, ...late];
  };
  return {
    add({ t, latencyMs }) {
      const end = t + latencyMs;
      if (busyUntil !== null && t - busyUntil > IDLE_AFTER_MS) gaps.push({ fromMs: busyUntil, toMs: t });
      else if ((gaps.at(-1)?.toMs ?? t) > t) cut(t, end);
      busyUntil = Math.max(busyUntil ?? end, end);
    },
    all: () => gaps,
    longest() {
      if (gaps.length <= MAX_GAPS) return gaps;
      const length = ({ fromMs, toMs }: IdleGap): number => toMs - fromMs;
      const longest = new Set([...gaps].sort((a, b) => length(b) - length(a)).slice(0, MAX_GAPS));
      return gaps.filter((gap) => longest.has(gap));
    },
  };
}
