import { blamePlugins } from '../../config/plugins/register-plugin.js';
import { createSha256 } from '../../core/base/digest.js';
import { formatCount, formatDecimal } from '../../core/base/format.js';
import { getOrMake } from '../../core/base/once.js';
import { quantile } from '../../core/base/stats.js';
import type { Transcript } from '../../core/model/transcript.js';
import type { LogEntry, LogSink } from '../../core/run/run-log.js';
import type { RunPlan } from '../../core/run/run-plan.js';
import { NO_TIMING, type RequestListener, type TimingSink } from '../../engine/requests/run-env.js';
import { replayParts } from '../../engine/run/replay.js';
import type { RunFacts } from '../../metrics/facts.js';
import { createMetricsFold } from '../../metrics/fold.js';
import type { Cassette } from '../../provider/fake-llm/summaries/cassette.js';
import { logLines } from '../../report/tables/summary-json.js';
import { type Column, tableLines } from '../../report/text/table.js';
import type { CliSession } from '../session.js';
import { yieldToEventLoop } from '../terminal/interrupt.js';
import type { screenFor } from '../terminal/paint.js';

/** Wall-clock time of one part of the loop. */
interface PartTiming {
  readonly part: string;
  readonly count: number;
  readonly p50Us: number;
  readonly p99Us: number;
  readonly totalMs: number;
}

/** Wall-clock timings of a run: beside the log, never in it. */
interface RunTimings {
  readonly wallMs: number;
  readonly turnsPerSecond: number;
  readonly requestsPerSecond: number;
  readonly promptTokensPerSecond: number;
  readonly parts: readonly PartTiming[];
}

/** A sink that measures, and what it measured. */
interface Timings extends TimingSink {
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

/** Starts measuring. @internal */
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
      const entry = getOrMake(parts, part, () => ({ samples: [], count: 0, totalMs: 0 }));
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

/** Wall time between two looks at the terminal. */
const YIELD_MS = 40;

/** A finished run. */
export interface Execution {
  /** SHA-256 of the log as it is written: equal digests are equal runs. */
  readonly digest: string;
  readonly facts: RunFacts;
  /** Wall-clock timings; null if not requested. */
  readonly timings: RunTimings | null;
}

/** Where the log of a run goes, and how it is watched. */
export interface RunOutput {
  /** Takes the entries of the log one by one. */
  readonly sink?: LogSink;
  /** Takes the log while it is made, part by part. */
  write?(entries: readonly LogEntry[], lines: string): Promise<void>;
  /** Whether wall-clock timings are taken; off where absent. */
  readonly timings?: 'on' | 'off';
  /** Gets how many requests were answered so far. */
  progress?(requests: number): void;
  /** Summaries of a plan that takes them from a cassette. */
  readonly cassette?: Cassette;
  /** Hears every request before it is sent. */
  readonly onRequest?: RequestListener;
}

/** Entries that are written at a time. */
const ENTRIES_PER_PART = 2_000;

/** Replays a transcript, pausing often enough to show progress and to notice Ctrl-C; no entry is kept. */
export async function execute(
  { host }: CliSession,
  plan: RunPlan,
  transcript: Transcript,
  output: RunOutput,
): Promise<Execution> {
  const fold = createMetricsFold();
  const hash = createSha256();
  let entries: LogEntry[] = [];
  let requests = 0;
  let writingMs = 0;
  const flush = async (): Promise<void> => {
    const startMs = host.now();
    const part = entries;
    entries = [];
    const lines = logLines(part);
    hash.add(lines);
    await output.write?.(part, lines);
    writingMs += host.now() - startMs;
  };
  const timings = output.timings === 'on' ? createTimings() : null;
  const sink = {
    write(entry: LogEntry) {
      entries.push(entry);
      fold.write(entry);
      output.sink?.write(entry);
      if (entry.type === 'request') requests++;
    },
  };
  const { cassette, onRequest } = output;
  const listeners = {
    ...(cassette === undefined ? {} : { cassette }),
    ...(onRequest === undefined ? {} : { onRequest }),
  };
  const parts = replayParts(plan, transcript, sink, timings ?? NO_TIMING, listeners);
  let nextYield = host.now() + YIELD_MS;
  const step = (): boolean => {
    try {
      return parts.next().done !== true;
    } catch (error) {
      throw blamePlugins(plan, error);
    }
  };
  while (step()) {
    if (entries.length >= ENTRIES_PER_PART) await flush();
    if (host.now() < nextYield) continue;
    output.progress?.(requests);
    await yieldToEventLoop(host.interrupt);
    nextYield = host.now() + YIELD_MS;
  }
  await flush();
  await yieldToEventLoop(host.interrupt);
  const facts = fold.finish();
  const { promptTokens } = facts.requests;
  return {
    digest: hash.hex(),
    facts,
    timings: timings?.finish({ turns: facts.turns, requests, promptTokens, writingMs }) ?? null,
  };
}
