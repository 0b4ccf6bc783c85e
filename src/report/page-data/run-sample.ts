import type { RequestEntry } from '../../core/run/log-entries.js';
import type { LogEntry, LogSink } from '../../core/run/run-log.js';
import { addRequest, type LeftOutRequests, type LeftOutSums, mergeSums, NO_SUMS } from './left-out.js';

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
interface IdleGaps {
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

/** Starts with no request; one that begins earlier than those before it cuts the gaps it falls into. @internal */
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

/** More requests than this are thinned to half, as often as it takes. */
const MAX_REQUESTS = 100_000;

/** The same for everything else that happened. */
const MAX_EVENTS = 40_000;

/** Events of one kind that are never thinned. */
const RARE = 100;

/** What a report does not show of a long run, and what it adds up to. */
export interface LeftOut extends LeftOutRequests {
  /** Events of the whole run. */
  readonly events: number;
  /** Times that a layer made the context smaller. */
  readonly shrunk: number;
  readonly gaps: readonly IdleGap[];
}

/** The entries of a log that a report shows: all of an ordinary run, a part of a long one. */
export interface SampledLog {
  readonly entries: readonly LogEntry[];
  /** Null if everything is there. */
  readonly leftOut: LeftOut | null;
}

/** Takes a run's entries in order and keeps what a report shows, however long the run is. */
export interface RunSample extends LogSink {
  finish(): SampledLog;
}

interface Row {
  readonly entry: LogEntry;
  /** Number of a request among all; 0 for anything else. */
  readonly number: number;
  readonly before: LeftOutSums | null;
}

/** Entries that are no events: what frames a run, its requests, and what is said once. */
const NO_EVENTS = new Set<LogEntry['type']>([
  'run',
  'thread',
  'request',
  'skipped',
  'warning',
  'breakdown',
  'end',
]);

function isEvent({ type }: LogEntry): boolean {
  return !NO_EVENTS.has(type);
}

/** Events of the same kind represent each other. */
function kindOf(entry: LogEntry): string {
  switch (entry.type) {
    case 'layer':
      return `layer ${entry.layer} ${entry.action} ${entry.outcome}`;
    case 'break':
      return `break ${entry.cause}`;
    case 'notice':
      return `notice ${entry.what}`;
    default:
      return entry.type;
  }
}

/** Numbers of the rows that stay: the first, the last, and of each four between them those with least and most context. */
function keptRequests(requests: readonly RequestEntry[]): ReadonlySet<RequestEntry> {
  const kept = new Set([requests[0]!, requests.at(-1)!]);
  for (let i = 0; i < requests.length; i += 4) {
    let low = requests[i]!;
    let high = low;
    for (const entry of requests.slice(i + 1, i + 4)) {
      if (entry.context < low.context) low = entry;
      if (entry.context > high.context) high = entry;
    }
    kept.add(low).add(high);
  }
  return kept;
}

/** Half of the events: every second one of a kind; kinds that are rare stay whole. */
function keptEvents(events: readonly LogEntry[]): ReadonlySet<LogEntry> {
  const counts = new Map<string, number>();
  for (const entry of events) counts.set(kindOf(entry), (counts.get(kindOf(entry)) ?? 0) + 1);
  const seen = new Map<string, number>();
  const kept = new Set<LogEntry>();
  for (const entry of events) {
    const kind = kindOf(entry);
    const number = seen.get(kind) ?? 0;
    seen.set(kind, number + 1);
    if (counts.get(kind)! <= RARE || number % 2 === 0) kept.add(entry);
  }
  return kept;
}

/** The rows without requests that are not kept; their sums go to the next one that is. */
function thinRequests(rows: readonly Row[]): Row[] {
  const kept = keptRequests(rows.flatMap(({ entry }) => (entry.type === 'request' ? [entry] : [])));
  const thin: Row[] = [];
  let sums = NO_SUMS;
  for (const row of rows) {
    const { entry, number, before } = row;
    if (entry.type !== 'request') {
      thin.push(row);
      continue;
    }
    if (before !== null) sums = mergeSums(sums, before);
    if (kept.has(entry)) {
      thin.push({ entry, number, before: sums.requests === 0 ? null : sums });
      sums = NO_SUMS;
    } else sums = addRequest(sums, entry);
  }
  return thin;
}

function thinEvents(rows: readonly Row[]): Row[] {
  const kept = keptEvents(rows.flatMap(({ entry }) => (isEvent(entry) ? [entry] : [])));
  return rows.filter(({ entry }) => !isEvent(entry) || kept.has(entry));
}

/** Creates a sample of at most this many requests and events, and a few rare ones. */
export function createRunSample(maxRequests = MAX_REQUESTS, maxEvents = MAX_EVENTS): RunSample {
  const gaps = createIdleGaps();
  const all = { requests: 0, events: 0, shrunk: 0 };
  let rows: Row[] = [];
  let requests = 0;
  let events = 0;
  /** Rows that the next thinning of events waits for: rare ones may be more than the limit. */
  let eventLimit = maxEvents;
  return {
    write(entry) {
      let number = 0;
      if (entry.type === 'request') {
        number = ++all.requests;
        requests++;
        gaps.add(entry);
      } else if (isEvent(entry)) {
        all.events++;
        events++;
        if (entry.type === 'layer' && entry.outcome === 'done' && entry.saved > 0) all.shrunk++;
      }
      rows.push({ entry, number, before: null });
      if (requests > maxRequests) {
        rows = thinRequests(rows);
        requests = rows.filter((row) => row.entry.type === 'request').length;
      }
      if (events > eventLimit) {
        rows = thinEvents(rows);
        events = rows.filter((row) => isEvent(row.entry)).length;
        eventLimit = Math.max(maxEvents, 2 * events);
      }
    },
    finish() {
      const entries = rows.map(({ entry }) => entry);
      if (requests === all.requests && events === all.events) return { entries, leftOut: null };
      const numbers = new Map<RequestEntry, number>();
      const before = new Map<RequestEntry, LeftOutSums>();
      for (const row of rows) {
        if (row.entry.type !== 'request') continue;
        numbers.set(row.entry, row.number);
        if (row.before !== null) before.set(row.entry, row.before);
      }
      return { entries, leftOut: { ...all, gaps: gaps.longest(), numbers, before } };
    },
  };
}
