import type { RequestEntry } from '../../core/run/run-log.js';
import type { LeftOutSums } from '../page-data/left-out-sums.js';
import type { LeftOut } from '../page-data/run-sample.js';
import { causeWords } from '../text/cause-words.js';

/** What has been paid up to and with all requests of a time, by cause, in nano-dollars. */
export interface CostPoint {
  readonly t: number;
  readonly total: number;
  readonly paid: readonly number[];
}

/** Running cost by cause: `carry`, `new`, one `rewrite:<cause>` each, `output`. */
export interface CostSeries {
  readonly causes: readonly string[];
  readonly points: readonly CostPoint[];
}

/** The cause of each part of a request's cost. */
function costParts(entry: RequestEntry): readonly (readonly [string, number])[] {
  const parts: [string, number][] = [
    ['carry', entry.readCost],
    ['new', entry.writeCost + entry.inputCost - entry.rewriteCost],
    ['output', entry.outputCost],
  ];
  if (entry.cause !== null) parts.push([`rewrite:${entry.cause}`, entry.rewriteCost]);
  return parts;
}

function leftOutParts(sums: LeftOutSums): readonly (readonly [string, number])[] {
  const rewrites = Object.entries(sums.rewriteCosts);
  return [
    ['carry', sums.readCost],
    ['new', sums.freshCost],
    ['output', sums.outputCost],
    ...rewrites.map(([cause, cost]) => [`rewrite:${cause}`, cost] as const),
  ];
}

/** Adds up costs over the requests of a run, in the order of time: one point for each time, however many requests it has. */
export function costSeries(requests: readonly RequestEntry[], leftOut: LeftOut | null = null): CostSeries {
  const rewrites = new Set<string>();
  for (const entry of requests) {
    if (entry.cause !== null && entry.rewriteCost > 0) rewrites.add(`rewrite:${entry.cause}`);
  }
  for (const { rewriteCosts } of leftOut?.before.values() ?? [])
    for (const cause of Object.keys(rewriteCosts)) rewrites.add(`rewrite:${cause}`);
  const causes = ['carry', 'new', ...[...rewrites].sort(), 'output'];
  const position = new Map(causes.map((cause, index) => [cause, index]));
  const paid = causes.map(() => 0);
  const pay = (cause: string, cost: number): number => {
    const index = position.get(cause);
    if (index !== undefined) paid[index]! += cost;
    return cost;
  };
  let total = 0;
  const byTime = new Map<number, CostPoint>();
  for (const entry of [...requests].sort((a, b) => a.t - b.t)) {
    const before = leftOut?.before.get(entry);
    if (before !== undefined) for (const [cause, cost] of leftOutParts(before)) total += pay(cause, cost);
    for (const [cause, cost] of costParts(entry)) pay(cause, cost);
    total += entry.cost;
    byTime.set(entry.t, { t: entry.t, total, paid: [...paid] });
  }
  return { causes, points: [...byTime.values()] };
}

/** A cause as a reader says it. */
export function causePhrase(cause: string): string {
  if (cause === 'carry') return 'cache reads';
  if (cause === 'new') return 'new content';
  if (cause === 'output') return 'output';
  return `written again: ${causeWords(cause.replace(/^rewrite:/, ''))}`;
}
