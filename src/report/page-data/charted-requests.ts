import type { ColumnRequest } from '../tables/request-columns.js';
import { addRequest, type LeftOutSums, NO_SUMS, withLeftOut } from './left-out.js';
import type { ChartedRun } from './page-data.js';

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
