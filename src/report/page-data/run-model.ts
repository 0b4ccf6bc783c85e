import { addTo } from '../../core/base/groups.js';
import type { ChartedRun, PageEvent, PageRun } from './page-data.js';

/** Along which axis charts over requests are drawn. */
export type Axis = 'time' | 'request';

/** Sums over the requests of a stretch. */
export interface Sums {
  readonly requests: number;
  readonly prompt: number;
  readonly read: number;
  readonly cost: number;
}

/** A run, or a recording, with what the charts need computed once. */
export interface RunModel<Run extends ChartedRun = PageRun> {
  readonly run: Run;
  readonly count: number;
  readonly prompt: Float64Array;
  /** Tokens written to the cache, both lifetimes. */
  readonly written: Float64Array;
  readonly cost: Float64Array;
  /** Names of the causes of cost. */
  readonly causes: readonly string[];
  /** Indexes of the requests of main conversations, and of each other conversation. */
  readonly main: readonly number[];
  readonly others: readonly (readonly number[])[];
  /** Indexes of all requests along the axis. */
  order(axis: Axis): readonly number[];
  /** What was paid for each cause up to and with request i, along the axis. */
  paid(axis: Axis): readonly Float64Array[];
  /** Number of a request in the run, from 1. */
  number(index: number): number;
  x(index: number, axis: Axis): number;
  eventX(event: PageEvent, axis: Axis): number;
  /** The whole axis. */
  domain(axis: Axis): readonly [number, number];
  /** The request nearest to a place on the axis; null without any. */
  nearest(x: number, axis: Axis): number | null;
  sums(range: readonly [number, number] | null, axis: Axis): Sums;
}

/** Anything that has charts over its requests. */
export type ChartModel = RunModel<ChartedRun>;

/** The causes of a run's cost, and running sums by cause over its requests in any order. */
function costsByCause(run: ChartedRun): {
  readonly causes: readonly string[];
  paidIn(order: readonly number[]): readonly Float64Array[];
} {
  const { requests, names, leftOut } = run;
  const present = names.causes.filter((_name, cause) =>
    requests.cause.some((value, index) => value === cause && requests.rewriteCost[index]! > 0),
  );
  const unseen = Object.entries(leftOut?.rewriteCosts ?? {});
  const sorted = [...new Set([...present, ...unseen.map(([cause]) => cause)])].sort();
  const causes = ['carry', 'new', ...sorted.map((cause) => `rewrite:${cause}`), 'output'];
  const place = names.causes.map((name) => 2 + sorted.indexOf(name));
  const paidIn = (order: readonly number[]): readonly Float64Array[] => {
    const paid = causes.map(() => new Float64Array(order.length));
    const sums = causes.map(() => 0);
    for (const i of order) {
      if (leftOut !== undefined) {
        sums[0]! += leftOut.readCost[i]!;
        sums[1]! += leftOut.freshCost[i]!;
        for (const [cause, costs] of unseen) sums[2 + sorted.indexOf(cause)]! += costs[i]!;
        sums[causes.length - 1]! += leftOut.outputCost[i]!;
      }
      sums[0]! += requests.readCost[i]!;
      sums[1]! += requests.freshCost[i]!;
      if (requests.rewriteCost[i]! > 0) sums[place[requests.cause[i]!]!]! += requests.rewriteCost[i]!;
      sums[causes.length - 1]! += requests.outputCost[i]!;
      for (let cause = 0; cause < causes.length; cause++) paid[cause]![i] = sums[cause]!;
    }
    return paid;
  };
  return { causes, paidIn };
}

/** What was paid for the requests left out before one that is there. */
function leftOutCost(leftOut: NonNullable<ChartedRun['leftOut']>, index: number): number {
  let cost = leftOut.readCost[index]! + leftOut.freshCost[index]! + leftOut.outputCost[index]!;
  for (const costs of Object.values(leftOut.rewriteCosts)) cost += costs[index]!;
  return cost;
}

function byThread(run: ChartedRun, axisOrder: readonly number[]): Pick<RunModel, 'main' | 'others'> {
  const { requests, names } = run;
  const parents = new Map(run.threads.map(({ id, parent }) => [id, parent]));
  const loops = new Set(['main', 'subagent']);
  const main: number[] = [];
  const others = new Map<number, number[]>();
  for (const i of axisOrder) {
    if (!loops.has(names.purposes[requests.purpose[i]!]!)) continue;
    const thread = requests.thread[i]!;
    if ((parents.get(names.threads[thread]!) ?? null) === null) main.push(i);
    else addTo(others, thread, i);
  }
  return { main, others: [...others.values()] };
}

/** First position in `order` whose place on the axis is not before x. */
function lowerBound(order: readonly number[], x: number, at: (index: number) => number): number {
  let low = 0;
  let high = order.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (at(order[middle]!) < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Computes what the charts need of a run. */
export function createRunModel<Run extends ChartedRun>(run: Run): RunModel<Run> {
  const { requests, leftOut } = run;
  const count = requests.t.length;
  const prompt = new Float64Array(count);
  const written = new Float64Array(count);
  const cost = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    written[i] = requests.write5m[i]! + requests.write1h[i]!;
    prompt[i] = requests.read[i]! + written[i]! + requests.input[i]!;
    cost[i] =
      requests.readCost[i]! + requests.freshCost[i]! + requests.rewriteCost[i]! + requests.outputCost[i]!;
  }
  const inLog = requests.t.map((_t, index) => index);
  const inTime = [...inLog].sort((a, b) => requests.t[a]! - requests.t[b]!);
  const order = (axis: Axis): readonly number[] => (axis === 'time' ? inTime : inLog);
  const number = (index: number): number => leftOut?.n[index] ?? index + 1;
  const x = (index: number, axis: Axis): number => (axis === 'time' ? requests.t[index]! : number(index));
  let end = 0;
  for (let i = 0; i < count; i++) end = Math.max(end, requests.t[i]! + requests.latencyMs[i]!);
  const { causes, paidIn } = costsByCause(run);
  const paidInLog = paidIn(inLog);
  const paidInTime = paidIn(inTime);
  const start = count === 0 ? 0 : requests.t[inTime[0]!]!;
  return {
    run,
    count,
    prompt,
    written,
    cost,
    causes,
    ...byThread(run, inTime),
    order,
    paid: (axis) => (axis === 'time' ? paidInTime : paidInLog),
    number,
    x,
    eventX: (event, axis) =>
      axis === 'time' ? event.t : (event.after === 0 ? 0 : number(event.after - 1)) + 0.5,
    domain: (axis) =>
      axis === 'time'
        ? [start, Math.max(end, start + 1)]
        : [0.5, Math.max(leftOut?.requests ?? count, 1) + 0.5],
    nearest(at, axis) {
      if (count === 0) return null;
      const list = order(axis);
      const position = lowerBound(list, at, (index) => x(index, axis));
      const after = list[Math.min(position, count - 1)]!;
      const before = list[Math.max(position - 1, 0)]!;
      return Math.abs(x(before, axis) - at) <= Math.abs(x(after, axis) - at) ? before : after;
    },
    sums(range, axis) {
      const sums = { requests: 0, prompt: 0, read: 0, cost: 0 };
      for (let i = 0; i < count; i++) {
        const place = x(i, axis);
        if (range !== null && (place < range[0] || place > range[1])) continue;
        sums.requests += 1;
        sums.prompt += prompt[i]!;
        sums.read += requests.read[i]!;
        sums.cost += cost[i]!;
        if (leftOut === undefined) continue;
        sums.requests += leftOut.count[i]!;
        sums.prompt += leftOut.prompt[i]!;
        sums.read += leftOut.read[i]!;
        sums.cost += leftOutCost(leftOut, i);
      }
      return sums;
    },
  };
}

/** What a run paid for each cause, in nano-dollars: up to a part of the axis, and within it. */
export interface PaidPart {
  readonly before: readonly number[];
  readonly within: readonly number[];
}

/** Splits what was paid at the beginning of a part of the axis; the whole of it has nothing before. */
export function paidPart(model: ChartModel, range: readonly [number, number] | null, axis: Axis): PaidPart {
  const order = model.order(axis);
  const [from, to] = range ?? model.domain(axis);
  const first = range === null ? undefined : order.findLast((index) => model.x(index, axis) < from);
  const last = range === null ? order.at(-1) : order.findLast((index) => model.x(index, axis) <= to);
  const paid = model.paid(axis);
  const upTo = (index: number | undefined): readonly number[] =>
    paid.map((column) => (index === undefined ? 0 : column[index]!));
  const before = upTo(first);
  return { before, within: upTo(last).map((sum, cause) => sum - before[cause]!) };
}
