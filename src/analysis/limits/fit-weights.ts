import { MS_PER_HOUR } from '../../core/base/clock.js';
import { type Interval, mean, sum } from '../../core/base/stats.js';
import { familyOf, itemsAt, type LimitRequest, priceWeight, type TokenKind } from './limit-requests.js';
import { WEIGHTS } from './weights.generated.js';

/** A pivot below this share of its column means that columns say the same. */
const SINGULAR = 1e-10;

/** Solves a symmetric positive definite system by Cholesky's method; null if it is singular. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): readonly number[] | null {
  const size = right.length;
  const low: number[][] = [];
  for (let i = 0; i < size; i++) {
    const row: number[] = [];
    for (let j = 0; j <= i; j++) {
      let rest = matrix[i]![j]!;
      for (let k = 0; k < j; k++) rest -= row[k]! * (j === i ? row[k]! : low[j]![k]!);
      if (j < i) row.push(rest / low[j]![j]!);
      else if (rest <= SINGULAR * matrix[i]![i]!) return null;
      else row.push(Math.sqrt(rest));
    }
    low.push(row);
  }
  const y: number[] = [];
  for (let i = 0; i < size; i++) {
    let rest = right[i]!;
    for (let k = 0; k < i; k++) rest -= low[i]![k]! * y[k]!;
    y.push(rest / low[i]![i]!);
  }
  const x = new Array<number>(size).fill(0);
  for (let i = size - 1; i >= 0; i--) {
    let rest = y[i]!;
    for (let k = i + 1; k < size; k++) rest -= low[k]![i]! * x[k]!;
    x[i] = rest / low[i]![i]!;
  }
  return x;
}

/**
 * Least squares without negative values (Lawson and Hanson): the x ≥ 0 for which rows · x is nearest to the values. Null if columns
 * say the same, or one is empty.
 * @internal
 */
export function leastSquares(
  rows: readonly (readonly number[])[],
  values: readonly number[],
): readonly number[] | null {
  const size = rows[0]?.length ?? 0;
  const columns = Array.from({ length: size }, (_, j) => rows.map((row) => row[j]!));
  const norms = columns.map((column) => Math.hypot(...column));
  if (size === 0 || norms.includes(0)) return null;
  const unit = columns.map((column, j) => column.map((value) => value / norms[j]!));
  const dot = (a: readonly number[], b: readonly number[]): number =>
    a.reduce((sum, value, i) => sum + value * b[i]!, 0);
  const gram = unit.map((a) => unit.map((b) => dot(a, b)));
  const right = unit.map((column) => dot(column, values));
  if (solve(gram, right) === null) return null;
  const free: number[] = [];
  let x: number[] = new Array<number>(size).fill(0);
  const within = (): readonly number[] | null =>
    solve(
      free.map((i) => free.map((j) => gram[i]![j]!)),
      free.map((i) => right[i]!),
    );
  // Each round frees one value; a value may be fixed at zero again, so rounds are bounded.
  for (let round = 0; round < 3 * size; round++) {
    const slope = right.map((value, i) => value - dot(gram[i]!, x));
    const fixed = slope.map((_, i) => i).filter((i) => !free.includes(i));
    const next = fixed.sort((a, b) => slope[b]! - slope[a]! || a - b)[0];
    if (next === undefined || slope[next]! <= 1e-12 * Math.hypot(...right)) break;
    free.push(next);
    for (let found = within(); found !== null; found = within()) {
      const own = found;
      const negative = free.map((_, k) => k).filter((k) => own[k]! <= 0);
      if (negative.length === 0) {
        x = x.map((_, i) => (free.includes(i) ? own[free.indexOf(i)]! : 0));
        break;
      }
      const step = Math.min(...negative.map((k) => x[free[k]!]! / (x[free[k]!]! - own[k]!)));
      for (const [k, i] of free.entries()) x[i] = x[i]! + step * (own[k]! - x[i]!);
      const kept = free.filter((i) => x[i]! > 1e-15);
      free.splice(0, free.length, ...kept);
      x = x.map((value, i) => (kept.includes(i) ? value : 0));
      if (kept.length === 0) break;
    }
  }
  return x.map((value, i) => value / norms[i]!);
}

/** A meter of a plan. */
export type MeterName = keyof typeof WEIGHTS.meters;

/** What is known of a meter without readings of one's own. */
export interface PublishedMeter {
  /** Tokens of all kinds that moved the meter of one account by 1 %. */
  readonly tokensPerPercent?: Interval;
  /** The factor on the list-price weight of reads. */
  readonly read?: Interval & { readonly factor: number };
}

/** What a meter showed at a time. */
export interface Reading {
  readonly meter: MeterName;
  /** Ms since 1970. */
  readonly atMs: number;
  readonly percent: number;
}

/** A reading that no weight is fitted to. */
interface UnusedReading {
  readonly reading: Reading;
  readonly why: string;
}

/** Kinds of tokens whose weights are fitted; the lifetimes of writes keep the ratio of their prices. */
type FitKind = 'input' | 'read' | 'write' | 'output';

/** The factor on the list-price weight of a family's tokens of a kind. */
interface FittedFactor {
  readonly family: string;
  readonly kind: FitKind;
  readonly factor: number;
}

/** What readings tell of the weights of a meter. */
export type MeterFit =
  | { readonly kind: 'no-readings' }
  | { readonly kind: 'failed'; readonly reason: string; readonly unused: readonly UnusedReading[] }
  | {
      readonly kind: 'fitted';
      readonly readings: number;
      readonly unused: readonly UnusedReading[];
      /** What was fitted: a scale alone, or weights apart. */
      readonly freed: string;
      readonly parameters: number;
      /** Per cent of the meter for a million weighted tokens. */
      readonly percentPerMillion: number;
      readonly factors: readonly FittedFactor[];
      /** How far readings lie from what the others predict (root of the mean square), in points of the meter; null for one reading. */
      readonly errorPoints: number | null;
      /** The same relative to the mean reading. */
      readonly errorShare: number | null;
    };

/** Length of the window of a meter. */
export function lengthMs(meter: MeterName): number {
  return WEIGHTS.meters[meter].hours * MS_PER_HOUR;
}

/** The kind that a kind of tokens is fitted with. */
export function fitKindOf(kind: TokenKind): FitKind {
  return kind === 'writeHour' ? 'write' : kind;
}

/** Whose meters the published fits are of. */
const PUBLISHED_VENDOR = 'anthropic';

/** What is published of a meter; null for meters of other vendors. */
export function publishedMeter(vendor: string, meter: MeterName): PublishedMeter | null {
  return vendor === PUBLISHED_VENDOR ? WEIGHTS.meters[meter] : null;
}

/** The factor on the list-price weight where nothing is fitted. */
export function publishedFactor(published: PublishedMeter | null, kind: FitKind): number {
  return kind === 'read' ? (published?.read?.factor ?? 1) : 1;
}

interface Cell {
  readonly family: string;
  readonly kind: FitKind;
}

/** The window of a reading: list-price weight by cell. */
interface Observed {
  readonly percent: number;
  readonly weights: readonly number[];
}

/** Which weights are free: cells of one group share a factor. */
interface Freedom {
  readonly freed: string;
  readonly groupOf: (cell: Cell) => string;
  /** Whether a group keeps the published factors of its kinds. */
  readonly base: 'published' | 'price';
}

const READ_OR_NOT = ({ kind }: Cell): string => (kind === 'read' ? 'read' : 'rest');

/** From the fewest parameters to the most. */
const FREEDOMS: readonly Freedom[] = [
  { freed: 'the scale', base: 'published', groupOf: () => 'all' },
  { freed: 'reads separately', base: 'price', groupOf: READ_OR_NOT },
  { freed: 'model families separately', base: 'published', groupOf: ({ family }) => family },
  {
    freed: 'reads and output separately',
    base: 'price',
    groupOf: ({ kind }) => (kind === 'read' || kind === 'output' ? kind : 'prompt'),
  },
  { freed: 'all kinds separately', base: 'price', groupOf: ({ kind }) => kind },
  {
    freed: 'model families and reads separately',
    base: 'price',
    groupOf: (cell) => `${cell.family} ${READ_OR_NOT(cell)}`,
  },
  {
    freed: 'model families and all kinds separately',
    base: 'price',
    groupOf: ({ family, kind }) => `${family} ${kind}`,
  },
];

/** Readings for each weight that is free. */
const READINGS_PER_PARAMETER = 2;
/** What weighs less than this share in all readings gets no weight of its own. */
const LEAST_SHARE = 0.02;
/** A fit with more parameters must have at most this share of the error of one with fewer. */
const WORTH_MORE = 0.9;
/** Readings whose error is above this share of their mean contradict each other. */
const MOST_ERROR = 0.5;
/** Points of a meter below which an error is rounding of the arithmetic. */
const NO_ERROR = 1e-6;
const FULL = 100;
/** Digits of a factor: the rest is rounding of the arithmetic. */
const DIGITS = 12;

interface Candidate {
  readonly freed: string;
  /** By cell: its group, and its factor within the group. */
  readonly group: readonly number[];
  readonly within: readonly number[];
  readonly values: readonly number[];
  readonly error: number | null;
}

/** Groups of cells by number; small ones join the largest. */
function groupsOf(
  cells: readonly Cell[],
  groupOf: (cell: Cell) => string,
  totals: readonly number[],
): readonly number[] {
  const names = cells.map(groupOf);
  const shares = new Map<string, number>();
  for (const [i, name] of names.entries()) shares.set(name, (shares.get(name) ?? 0) + totals[i]!);
  const all = sum([...shares.values()]);
  const [largest] = [...shares].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))[0]!;
  const kept = [...shares]
    .filter(([name, own]) => name === largest || own >= LEAST_SHARE * all)
    .map(([name]) => name);
  kept.sort();
  return names.map((name) => kept.indexOf(kept.includes(name) ? name : largest));
}

function predict(row: readonly number[], values: readonly number[]): number {
  return sum(row.map((value, j) => value * values[j]!));
}

/** Root of the mean square by which readings miss what the others predict; null if that cannot be computed. */
function leaveOneOut(rows: readonly (readonly number[])[], percents: readonly number[]): number | null {
  if (rows.length < 2) return null;
  const squares: number[] = [];
  for (const [i, row] of rows.entries()) {
    const others = (_: unknown, k: number): boolean => k !== i;
    const values = leastSquares(rows.filter(others), percents.filter(others));
    if (values === null) return null;
    squares.push((predict(row, values) - percents[i]!) ** 2);
  }
  return Math.sqrt(mean(squares)!);
}

function tryFreedom(
  { freed, groupOf, base }: Freedom,
  cells: readonly Cell[],
  observed: readonly Observed[],
  published: PublishedMeter | null,
): Candidate | null {
  const totals = cells.map((_, i) => sum(observed.map(({ weights }) => weights[i]!)));
  const group = groupsOf(cells, groupOf, totals);
  const count = Math.max(...group) + 1;
  if (count > 1 && observed.length < READINGS_PER_PARAMETER * count) return null;
  const within = cells.map(({ kind }) => (base === 'published' ? publishedFactor(published, kind) : 1));
  const rows = observed.map(({ weights }) => {
    const row = new Array<number>(count).fill(0);
    for (const [i, weight] of weights.entries()) row[group[i]!] = row[group[i]!]! + weight * within[i]!;
    return row;
  });
  const percents = observed.map(({ percent }) => percent);
  const values = leastSquares(rows, percents);
  if (values === null) return null;
  const error = leaveOneOut(rows, percents);
  return count > 1 && error === null ? null : { freed, group, within, values, error };
}

/** The fit with the smallest error; of nearly equal ones that with fewer parameters. */
function bestOf(candidates: readonly Candidate[]): Candidate | null {
  let best: Candidate | null = null;
  for (const candidate of candidates) {
    if (best === null) best = candidate;
    else if (best.error !== null && best.error > NO_ERROR && candidate.error! < WORTH_MORE * best.error)
      best = candidate;
  }
  return best;
}

function cellsOf(requests: readonly LimitRequest[]): readonly Cell[] {
  const cells = new Map<string, Cell>();
  for (const { model, parts } of requests)
    for (const { kind } of parts) {
      const cell = { family: familyOf(model), kind: fitKindOf(kind) };
      cells.set(`${cell.family} ${cell.kind}`, cell);
    }
  return [...cells].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, cell]) => cell);
}

function weightsIn(requests: readonly LimitRequest[], cells: readonly Cell[]): readonly number[] {
  const sums = new Map<string, number>();
  for (const { model, inputUsd, parts } of requests)
    for (const part of parts) {
      const key = `${familyOf(model)} ${fitKindOf(part.kind)}`;
      sums.set(key, (sums.get(key) ?? 0) + priceWeight(part, inputUsd));
    }
  return cells.map(({ family, kind }) => sums.get(`${family} ${kind}`) ?? 0);
}

/** Fits the weights of a meter to what it showed: the more readings, the more weights are free. */
export function fitWeights(
  requests: readonly LimitRequest[],
  all: readonly Reading[],
  meter: MeterName,
  published: PublishedMeter | null,
): MeterFit {
  const readings = all.filter((reading) => reading.meter === meter);
  if (readings.length === 0) return { kind: 'no-readings' };
  const unused: UnusedReading[] = [];
  const used: { readonly percent: number; readonly requests: readonly LimitRequest[] }[] = [];
  for (const reading of readings) {
    const within = itemsAt(requests, reading.atMs, lengthMs(meter));
    if (within.length === 0) unused.push({ reading, why: 'no recorded request is in its window' });
    else if (reading.percent >= FULL)
      unused.push({ reading, why: 'a full meter does not show how much more was requested' });
    else used.push({ percent: reading.percent, requests: within });
  }
  const failed = (reason: string): MeterFit => ({ kind: 'failed', reason, unused });
  if (used.length === 0) return failed('no reading can be used');
  const cells = cellsOf(used.flatMap((each) => each.requests));
  const observed = used.map((each) => ({ percent: each.percent, weights: weightsIn(each.requests, cells) }));
  if (observed.every(({ percent }) => percent === 0)) return failed('every reading is 0 %');
  const candidates = FREEDOMS.flatMap((freedom) => tryFreedom(freedom, cells, observed, published) ?? []);
  const best = bestOf(candidates);
  if (best === null) return failed('no recorded request in the windows of the readings counts on this meter');
  const average = mean(observed.map(({ percent }) => percent))!;
  const errorShare = best.error === null ? null : best.error / average;
  if (errorShare !== null && errorShare > MOST_ERROR)
    return failed(
      `the readings contradict each other: they are ${best.error!.toFixed(1)} points off what the others predict, at a mean of ${average.toFixed(1)} %`,
    );
  return {
    kind: 'fitted',
    unused,
    readings: used.length,
    ...scaled(best, cells, observed, published),
    errorPoints: best.error,
    errorShare,
  };
}

/** Factors and scale of a fit: over all readings, weighted tokens come to what they were before the fit. */
function scaled(
  { freed, group, within, values }: Candidate,
  cells: readonly Cell[],
  observed: readonly Observed[],
  published: PublishedMeter | null,
) {
  const perToken = cells.map((_, i) => values[group[i]!]! * within[i]!);
  const predicted = sum(observed.map(({ weights }) => predict(weights, perToken)));
  const factors = cells.map(({ kind }) => publishedFactor(published, kind));
  const before = sum(observed.map(({ weights }) => predict(weights, factors)));
  const bare = sum(observed.map(({ weights }) => sum(weights)));
  const scale = predicted / (before > 0 ? before : bare);
  return {
    freed,
    parameters: values.length,
    percentPerMillion: scale * 1e6,
    factors: cells.map((cell, i) => ({
      ...cell,
      factor: Number((perToken[i]! / scale).toPrecision(DIGITS)),
    })),
  };
}
