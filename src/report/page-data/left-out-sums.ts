import type { ColumnRequest } from '../tables/request-columns.js';

/** What requests that are not shown come to; costs in nano-dollars. */
export interface LeftOutSums {
  readonly requests: number;
  readonly prompt: number;
  readonly read: number;
  readonly readCost: number;
  readonly freshCost: number;
  readonly outputCost: number;
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
  const rewriteCosts = { ...a.rewriteCosts };
  for (const [cause, cost] of Object.entries(b.rewriteCosts))
    rewriteCosts[cause] = (rewriteCosts[cause] ?? 0) + cost;
  return {
    requests: a.requests + b.requests,
    prompt: a.prompt + b.prompt,
    read: a.read + b.read,
    readCost: a.readCost + b.readCost,
    freshCost: a.freshCost + b.freshCost,
    outputCost: a.outputCost + b.outputCost,
    rewriteCosts,
  };
}

/** The sums with one more request. */
export function addRequest(sums: LeftOutSums, entry: ColumnRequest): LeftOutSums {
  return mergeSums(sums, {
    requests: 1,
    prompt: entry.prompt,
    read: entry.read,
    readCost: entry.readCost,
    freshCost: entry.writeCost + entry.inputCost - entry.rewriteCost,
    outputCost: entry.outputCost,
    rewriteCosts: entry.cause === null || entry.rewriteCost === 0 ? {} : { [entry.cause]: entry.rewriteCost },
  });
}
