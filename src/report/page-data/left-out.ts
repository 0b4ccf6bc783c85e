import { formatCount } from '../../core/base/format.js';
import { ownValue } from '../../core/base/own-value.js';
import { type ColumnRequest, requestColumns } from '../tables/request-columns.js';
import type { ChartedRun, PageLeftOut } from './page-data.js';

const SUMS = ['requests', 'prompt', 'read', 'readCost', 'freshCost', 'outputCost'] as const;

/** The sum of requests that are not shown; costs in nano-dollars. */
export interface LeftOutSums extends Readonly<Record<(typeof SUMS)[number], number>> {
  /** By cause. */
  readonly rewriteCosts: Readonly<Record<string, number>>;
}

/** Sums of nothing. */
export const NO_SUMS: LeftOutSums = {
  requests: 0,
  prompt: 0,
  read: 0,
  readCost: 0,
  freshCost: 0,
  outputCost: 0,
  rewriteCosts: {},
};

/** Both together. */
export function mergeSums(a: LeftOutSums, b: LeftOutSums): LeftOutSums {
  const merged = { ...a };
  for (const name of SUMS) merged[name] = a[name] + b[name];
  const costs = new Map(Object.entries(a.rewriteCosts));
  for (const [cause, cost] of Object.entries(b.rewriteCosts))
    costs.set(cause, (costs.get(cause) ?? 0) + cost);
  return { ...merged, rewriteCosts: Object.fromEntries(costs) };
}

/** The sums with one more request. */
export function addRequest(sums: LeftOutSums, entry: ColumnRequest): LeftOutSums {
  const { prompt, read, readCost, outputCost, rewriteCost, cause } = entry;
  const freshCost = entry.writeCost + entry.inputCost - rewriteCost;
  const rewriteCosts = cause === null || rewriteCost === 0 ? {} : { [cause]: rewriteCost };
  return mergeSums(sums, { requests: 1, prompt, read, readCost, freshCost, outputCost, rewriteCosts });
}

/** Requests that a page does not show, by those that it does. */
export interface LeftOutRequests {
  /** Requests of the whole run. */
  readonly requests: number;
  /** Number of each shown request among all, from 1. */
  readonly numbers: ReadonlyMap<ColumnRequest, number>;
  /** What was left out since the request shown before, by the one that is shown next. */
  readonly before: ReadonlyMap<ColumnRequest, LeftOutSums>;
}

function pageLeftOut(leftOut: LeftOutRequests, shown: readonly ColumnRequest[]): PageLeftOut {
  const before = shown.map((entry) => leftOut.before.get(entry) ?? NO_SUMS);
  const column = (name: (typeof SUMS)[number]): readonly number[] => before.map((sums) => sums[name]);
  const causes = [...new Set(before.flatMap(({ rewriteCosts }) => Object.keys(rewriteCosts)))].sort();
  return {
    requests: leftOut.requests,
    n: shown.map((entry) => leftOut.numbers.get(entry)!),
    count: column('requests'),
    prompt: column('prompt'),
    read: column('read'),
    readCost: column('readCost'),
    freshCost: column('freshCost'),
    outputCost: column('outputCost'),
    rewriteCosts: Object.fromEntries(
      causes.map((cause) => [cause, before.map(({ rewriteCosts }) => ownValue(rewriteCosts, cause) ?? 0)]),
    ),
  };
}

/** Requests as the columns of a page, beside them the sums of those that it does not show. */
export function withLeftOut(
  shown: readonly ColumnRequest[],
  leftOut: LeftOutRequests | null,
): Omit<ChartedRun, 'threads'> {
  const columns = requestColumns(shown);
  return leftOut === null ? columns : { ...columns, leftOut: pageLeftOut(leftOut, shown) };
}

/** What the reader of a page must know that does not show everything. */
export function leftOutText(
  leftOut: { readonly requests: number; readonly events: number } | null,
  requests: number,
  events: number,
): readonly string[] {
  if (leftOut === null) return [];
  return [
    `This run is too long to be shown whole: of ${formatCount(leftOut.requests)} requests ${formatCount(requests)} are here, of ${formatCount(leftOut.events)} events ${formatCount(events)}. Sums and costs count all of them; requests.csv and events.csv hold every one.`,
  ];
}

/** The first of those with the largest prompt. */
function largestOf(requests: readonly ColumnRequest[]): number {
  let largest = 0;
  for (const [i, { prompt }] of requests.entries()) if (prompt > requests[largest]!.prompt) largest = i;
  return largest;
}

/** Which requests a page shows: the first, the last, the largest, those that broke the cache, and others at equal steps. */
function keptRequests(requests: readonly ColumnRequest[], most: number): readonly number[] {
  const all = requests.map((_request, i) => i);
  if (requests.length <= most) return all;
  const step = Math.ceil(requests.length / most);
  const ends = [requests.length - 1, largestOf(requests)];
  return all.filter((i) => i % step === 0 || ends.includes(i) || requests[i]!.cause !== null);
}

/** Requests in the order of time as a page draws them: all of them, or about as many as it has room for and the sums of the rest. */
export function chartedRequests(
  requests: readonly ColumnRequest[],
  threads: ChartedRun['threads'],
  most: number,
): ChartedRun {
  const kept = keptRequests(requests, most);
  const shown = kept.map((i) => requests[i]!);
  if (shown.length === requests.length) return { threads, ...withLeftOut(shown, null) };
  const numbers = new Map<ColumnRequest, number>();
  const before = new Map<ColumnRequest, LeftOutSums>();
  let next = 0;
  for (const i of kept) {
    let sums = NO_SUMS;
    for (; next < i; next++) sums = addRequest(sums, requests[next]!);
    next = i + 1;
    numbers.set(requests[i]!, i + 1);
    before.set(requests[i]!, sums);
  }
  return { threads, ...withLeftOut(shown, { requests: requests.length, numbers, before }) };
}
