import { MS_PER_HOUR, MS_PER_MINUTE, MS_PER_SECOND } from '../../core/base/clock.js';
import { formatCount, printable } from '../../core/base/format.js';
import type { LayerEntry, RequestEntry } from '../../core/run/log-entries.js';
import type { LogEntry } from '../../core/run/run-log.js';
import { type IdleGap, idleGaps, type LeftOut } from '../page-data/run-sample.js';

/** More points than this are thinned before they are drawn. @internal */
export const MAX_POINTS = 2_000;

/**
 * At most `limit` rows (no fewer than four), in their order: the first, the last, and of each stretch between them
 * the row with the smallest and the one with the largest value. Rows are kept whole or not at all.
 */
export function keepExtremes<Row>(
  rows: readonly Row[],
  value: (row: Row) => number,
  limit = MAX_POINTS,
): readonly Row[] {
  if (rows.length <= Math.max(limit, 4)) return rows;
  const stretches = Math.max(1, Math.floor((limit - 2) / 2));
  const inner = rows.length - 2;
  const kept: Row[] = [rows[0]!];
  for (let i = 0; i < stretches; i++) {
    const from = 1 + Math.floor((i * inner) / stretches);
    const to = 1 + Math.floor(((i + 1) * inner) / stretches);
    let low = from;
    let high = from;
    for (let j = from + 1; j < to; j++) {
      if (value(rows[j]!) < value(rows[low]!)) low = j;
      if (value(rows[j]!) > value(rows[high]!)) high = j;
    }
    kept.push(rows[Math.min(low, high)]!);
    if (low !== high) kept.push(rows[Math.max(low, high)]!);
  }
  kept.push(rows.at(-1)!);
  return kept;
}

/** The entries of a log that pictures over time are made from. */
export interface RunSeries {
  /** Every answered request, in the order of the log. */
  readonly requests: readonly RequestEntry[];
  /** The requests of the loops of conversations that no other one started. */
  readonly main: readonly RequestEntry[];
  readonly layers: readonly LayerEntry[];
  /** Times that a layer made the context smaller. */
  readonly shrunk: number;
  readonly gaps: readonly IdleGap[];
  /** Largest window of a main conversation; null when none is known. */
  readonly window: number | null;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Sorts a log into what pictures need; counts include what was left out of it. */
export function runSeries(entries: Iterable<LogEntry>, leftOut: LeftOut | null = null): RunSeries {
  const requests: RequestEntry[] = [];
  const layers: LayerEntry[] = [];
  const roots = new Set<string>();
  let window: number | null = null;
  for (const entry of entries) {
    if (entry.type === 'request') requests.push(entry);
    else if (entry.type === 'layer') layers.push(entry);
    else if (entry.type === 'thread' && entry.parent === null) {
      roots.add(entry.thread);
      if (entry.window !== null) window = Math.max(window ?? 0, entry.window);
    }
  }
  const main = requests.filter((entry) => entry.purpose === 'main' && roots.has(entry.thread));
  let fromMs = Number.POSITIVE_INFINITY;
  let toMs = Number.NEGATIVE_INFINITY;
  for (const { t, latencyMs } of requests) {
    fromMs = Math.min(fromMs, t);
    toMs = Math.max(toMs, t + latencyMs);
  }
  const span = requests.length === 0 ? { fromMs: 0, toMs: 0 } : { fromMs, toMs };
  const { shrunk, gaps } = leftOut ?? { shrunk: timesShrunk(layers), gaps: idleGaps(requests) };
  return { requests, main, layers, shrunk, gaps, window, ...span };
}

function timesShrunk(layers: readonly LayerEntry[]): number {
  return layers.filter(({ outcome, saved }) => outcome === 'done' && saved > 0).length;
}

/** One line on what a picture was made from: `quickstart · none · claude-sonnet-4-5`. */
export function runSubtitle(entries: readonly LogEntry[]): string {
  const run = entries.find((entry) => entry.type === 'run');
  const first = entries.find((entry) => entry.type === 'request');
  const parts = [run?.name, run?.policy, first?.model].filter((part) => part !== undefined);
  return printable(parts.join(' · '));
}

/** A number of tokens in few figures: 950, 12.3 K, 16.8 M. */
export function shortTokens(tokens: number): string {
  if (Math.abs(tokens) >= 1e9) return `${(tokens / 1e9).toFixed(1)} G`;
  if (Math.abs(tokens) >= 1e6) return `${(tokens / 1e6).toFixed(1)} M`;
  return Math.abs(tokens) >= 10_000 ? `${(tokens / 1e3).toFixed(0)} K` : formatCount(tokens);
}

/** A share in whole per cent, or with one decimal where that would say all or nothing. */
export function shortShare(share: number): string {
  const percent = share * 100;
  const whole = Math.round(percent);
  const plain = percent === whole || (whole > 0 && whole < 100);
  return plain ? `${whole} %` : `${percent.toFixed(1)} %`;
}

/** The unit a time axis is written in. */
export interface TimeUnit {
  readonly title: string;
  readonly ms: number;
}

const UNITS: readonly TimeUnit[] = [
  { title: 'simulated time (days)', ms: 24 * MS_PER_HOUR },
  { title: 'simulated time (hours)', ms: MS_PER_HOUR },
  { title: 'simulated time (minutes)', ms: MS_PER_MINUTE },
  { title: 'simulated time (seconds)', ms: MS_PER_SECOND },
];

/** The largest unit that a span holds at least two of; seconds for the shortest. */
export function timeUnit(spanMs: number): TimeUnit {
  return UNITS.find(({ ms }) => spanMs >= 2 * ms) ?? UNITS.at(-1)!;
}

/** A time in a unit, rounded to what a picture can show. */
export function inUnit(timeMs: number, unit: TimeUnit): number {
  return Number((timeMs / unit.ms).toFixed(4));
}
