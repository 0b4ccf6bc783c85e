import { MS_PER_DAY } from '../../core/base/clock.js';
import { addTo, groupBy } from '../../core/base/groups.js';
import { sum } from '../../core/base/stats.js';
import { usd } from '../../metrics/metric.js';
import { type AttributedRequest, isUnpriced } from './attribute.js';
import { STEADY_CAUSES } from './causes.js';
import type { Counted } from './count-once.js';
import type { Slice } from './slices.js';
import { hitRateOf, modelSlices, nanoOf } from './sum-up.js';

/** Days from which on a row is a week. */
const WEEKS_FROM_DAYS = 21;
const WEEK_DAYS = 7;
/** 1970-01-05, the first Monday of the clock. */
const FIRST_MONDAY_MS = 4 * MS_PER_DAY;
const DAY_CHARS = 10;
/** Well within what a date can hold. */
const LAST_MS = 8e15;

/** What a stretch of time cost. */
export interface TrendRow {
  /** First and last day of it, UTC. */
  readonly from: string;
  readonly to: string;
  readonly sessions: number;
  readonly requests: number;
  /** Null if no model of them has a price. */
  readonly usd: number | null;
  /** Requests of models without a price: the cost is without them. */
  readonly unpricedCalls: number;
  /** Share of the prompts that was read from the cache. */
  readonly hitRate: number | null;
  /** Paid for content that had been in the cache. */
  readonly lostUsd: number;
  readonly outputTokens: number;
  readonly byModel: readonly Slice[];
}

/** The same by hour of the day, UTC, over all days. */
export interface TrendHour {
  readonly hour: number;
  readonly requests: number;
  readonly usd: number | null;
  readonly breaks: number;
  readonly lostUsd: number;
}

/** What sessions cost over time. */
export interface Trend {
  readonly period: 'day' | 'week';
  /** The oldest first; periods without a request are left out. */
  readonly rows: readonly TrendRow[];
  readonly byHour: readonly TrendHour[];
  /** Sessions that do not tell when they were: in no row. */
  readonly undatedSessions: number;
}

/** What a request paid for besides what every session pays. */
export function eventsOf({ parts }: AttributedRequest) {
  return parts.filter(({ cause }) => !STEADY_CAUSES.includes(cause));
}

function lostNano(requests: readonly AttributedRequest[]): number {
  return sum(requests.flatMap((request) => eventsOf(request).map(({ nano }) => nano)));
}

function paidUsd(requests: readonly AttributedRequest[]): number | null {
  return requests.every(isUnpriced) ? null : usd(sum(requests.map(nanoOf)));
}

function dayText(ms: number): string {
  return new Date(ms).toISOString().slice(0, DAY_CHARS);
}

function rowOf(startMs: number, days: number, counted: readonly Counted[]): TrendRow {
  const requests = counted.flatMap((each) => each.requests);
  return {
    from: dayText(startMs),
    to: dayText(startMs + (days - 1) * MS_PER_DAY),
    sessions: counted.length,
    requests: requests.length,
    usd: paidUsd(requests),
    unpricedCalls: requests.filter(isUnpriced).length,
    hitRate: hitRateOf(requests),
    lostUsd: usd(lostNano(requests)),
    outputTokens: sum(requests.map(({ output }) => output)),
    byModel: modelSlices(counted),
  };
}

function hourRow(hour: number, requests: readonly AttributedRequest[]): TrendHour {
  return {
    hour,
    requests: requests.length,
    usd: paidUsd(requests),
    breaks: sum(requests.map((request) => eventsOf(request).length)),
    lostUsd: usd(lostNano(requests)),
  };
}

/** Groups the requests of sessions, each with its own time. */
function grouped(
  counted: readonly Counted[],
  keyOf: (atMs: number) => number,
): readonly (readonly [number, readonly Counted[]])[] {
  const found = new Map<number, Counted[]>();
  for (const each of counted) {
    const own = groupBy(each.requests, ({ startMs }) => keyOf(each.session.startedAtMs! + startMs));
    for (const [key, requests] of own) addTo(found, key, { ...each, requests });
  }
  return [...found].sort(([a], [b]) => a - b);
}

/** What sessions cost by day, or by week where they span three weeks or more. */
export function trendOf(counted: readonly Counted[]): Trend {
  const held = counted.filter(({ requests }) => requests.length > 0);
  const dated = held.filter(
    ({ session }) => session.startedAtMs !== null && Math.abs(session.startedAtMs) < LAST_MS,
  );
  const days = grouped(dated, (atMs) => Math.floor(atMs / MS_PER_DAY));
  const span = days.length === 0 ? 0 : days.at(-1)![0] - days[0]![0] + 1;
  const length = span < WEEKS_FROM_DAYS ? 1 : WEEK_DAYS;
  const rows =
    length === 1
      ? days.map(([day, own]) => rowOf(day * MS_PER_DAY, 1, own))
      : grouped(dated, (atMs) => Math.floor((atMs - FIRST_MONDAY_MS) / (WEEK_DAYS * MS_PER_DAY))).map(
          ([week, own]) => rowOf(week * WEEK_DAYS * MS_PER_DAY + FIRST_MONDAY_MS, WEEK_DAYS, own),
        );
  const hours = grouped(dated, (atMs) => new Date(atMs).getUTCHours());
  return {
    period: length === 1 ? 'day' : 'week',
    rows,
    byHour: hours.map(([hour, own]) =>
      hourRow(
        hour,
        own.flatMap(({ requests }) => requests),
      ),
    ),
    undatedSessions: held.length - dated.length,
  };
}
