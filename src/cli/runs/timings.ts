import { performance } from 'node:perf_hooks';
import { formatCount, formatDecimal } from '../../core/base/format.js';
import { quantile } from '../../core/base/stats.js';
import type { TimingSink } from '../../engine/requests/run-env.js';
import { type Column, tableLines } from '../../report/text/table.js';
import type { screenFor } from '../terminal/paint.js';

/** Wall-clock time of one part of the loop. */
export interface PartTiming {
  readonly part: string;
  readonly count: number;
  readonly p50Us: number;
  readonly p99Us: number;
  readonly totalMs: number;
}

/** Wall-clock timings of a run: beside the log, never in it. */
export interface RunTimings {
  readonly wallMs: number;
  readonly turnsPerSecond: number;
  readonly requestsPerSecond: number;
  readonly promptTokensPerSecond: number;
  readonly parts: readonly PartTiming[];
}

/** A sink that measures, and what it measured. */
export interface Timings extends TimingSink {
  finish(done: {
    readonly turns: number;
    readonly requests: number;
    readonly promptTokens: number;
    /** Time that the log was written in, which is not the replay's. */
    readonly writingMs: number;
  }): RunTimings;
}

/** Samples kept per part: enough for percentiles, bounded for long runs. */
const MAX_SAMPLES = 100_000;

/** Starts measuring. */
export function createTimings(): Timings {
  const startMs = performance.now();
  const parts = new Map<string, { samples: number[]; count: number; totalMs: number }>();
  let begunMs = 0;
  return {
    begin() {
      begunMs = performance.now();
    },
    end(part) {
      const ms = performance.now() - begunMs;
      let entry = parts.get(part);
      if (entry === undefined) {
        entry = { samples: [], count: 0, totalMs: 0 };
        parts.set(part, entry);
      }
      entry.count++;
      entry.totalMs += ms;
      if (entry.samples.length < MAX_SAMPLES) entry.samples.push(ms);
    },
    finish({ turns, requests, promptTokens, writingMs }) {
      const wallMs = performance.now() - startMs - writingMs;
      const perSecond = (amount: number): number => Math.round(amount / (wallMs / 1_000));
      return {
        wallMs,
        turnsPerSecond: perSecond(turns),
        requestsPerSecond: perSecond(requests),
        promptTokensPerSecond: perSecond(promptTokens),
        parts: [...parts].map(([part, { samples, count, totalMs }]) => ({
          part,
          count,
          p50Us: (quantile(samples, 0.5) ?? 0) * 1_000,
          p99Us: (quantile(samples, 0.99) ?? 0) * 1_000,
          totalMs,
        })),
      };
    },
  };
}

const COLUMNS: readonly Column[] = [
  { header: 'layer', align: 'left', drop: null },
  { header: 'asked', align: 'right', drop: null },
  { header: 'p50 µs', align: 'right', drop: null },
  { header: 'p99 µs', align: 'right', drop: null },
  { header: 'total ms', align: 'right', drop: null },
];

/** The timings as the terminal shows them; they differ from run to run, as the log does not. */
export function timingsText(timings: RunTimings, screen: ReturnType<typeof screenFor>): string {
  const lines = [screen.style.bold('Wall clock of this run')];
  if (timings.parts.length > 0) {
    const rows = timings.parts.map(({ part, count, p50Us, p99Us, totalMs }) => ({
      cells: [
        part,
        formatCount(count),
        formatDecimal(p50Us, 1),
        formatDecimal(p99Us, 1),
        formatDecimal(totalMs, 1),
      ],
    }));
    lines.push(...tableLines(COLUMNS, rows, { indent: '  ', ...screen }));
  }
  lines.push(
    `  replayed in ${formatDecimal(timings.wallMs, 0)} ms: ${formatCount(timings.turnsPerSecond)} turns/s, ${formatCount(timings.requestsPerSecond)} requests/s, ${formatCount(timings.promptTokensPerSecond)} prompt tokens/s`,
  );
  return `${lines.join('\n')}\n`;
}
