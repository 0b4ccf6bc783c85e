import { formatCount } from '../../core/base/format.js';
import type { ColumnRequest } from '../tables/request-columns.js';
import { type LeftOutSums, NO_SUMS } from './left-out-sums.js';
import type { PageLeftOut } from './page-data.js';
import type { LeftOut } from './run-sample.js';

/** Requests that a page does not show, by those that it does. */
export interface LeftOutRequests {
  /** Requests of the whole run. */
  readonly requests: number;
  /** Number of each shown request among all, from 1. */
  readonly numbers: ReadonlyMap<ColumnRequest, number>;
  /** What was left out since the request shown before, by the one that is shown next. */
  readonly before: ReadonlyMap<ColumnRequest, LeftOutSums>;
}

/** What a page lacks, as columns beside those of the requests that it shows. */
export function pageLeftOut(leftOut: LeftOutRequests, shown: readonly ColumnRequest[]): PageLeftOut {
  const before = shown.map((entry) => leftOut.before.get(entry) ?? NO_SUMS);
  const column = (read: (sums: LeftOutSums) => number): readonly number[] => before.map(read);
  const causes = [...new Set(before.flatMap(({ rewriteCosts }) => Object.keys(rewriteCosts)))].sort();
  return {
    requests: leftOut.requests,
    n: shown.map((entry) => leftOut.numbers.get(entry)!),
    count: column(({ requests }) => requests),
    prompt: column(({ prompt }) => prompt),
    read: column(({ read }) => read),
    readCost: column(({ readCost }) => readCost),
    freshCost: column(({ freshCost }) => freshCost),
    outputCost: column(({ outputCost }) => outputCost),
    rewriteCosts: Object.fromEntries(
      causes.map((cause) => [cause, column(({ rewriteCosts }) => rewriteCosts[cause] ?? 0)]),
    ),
  };
}

/** What the reader of a page must know that does not show everything. */
export function leftOutText(leftOut: LeftOut | null, requests: number, events: number): readonly string[] {
  if (leftOut === null) return [];
  return [
    `This run is too long to be shown whole: of ${formatCount(leftOut.requests)} requests ${formatCount(requests)} are here, of ${formatCount(leftOut.events)} events ${formatCount(events)}. Sums and costs count all of them; requests.csv and events.csv hold every one.`,
  ];
}
