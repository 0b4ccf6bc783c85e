import { createHash } from 'node:crypto';
import { replayParts } from '../../engine/run/replay.js';
import type { RunFacts } from '../../metrics/facts.js';
import { createMetricsFold } from '../../metrics/fold.js';
import type { LogEntry } from '../../model/run-log.js';
import type { RunPlan } from '../../model/run-plan.js';
import type { Transcript } from '../../model/transcript.js';
import { serialiseEntry } from '../../report/log-lines.js';
import { breathe } from '../terminal/interrupt.js';
import { createTimings, type RunTimings } from './timings.js';

/** Wall time between two looks at the terminal. */
const BREATH_MS = 40;

/** A run that came to its end. */
export interface Execution {
  /** SHA-256 of the log as it is written: equal digests are equal runs. */
  readonly digest: string;
  readonly facts: RunFacts;
  readonly entries: readonly LogEntry[];
  /** Wall-clock timings; null when they were not wanted. */
  readonly timings: RunTimings | null;
}

/** How a run is watched from outside. */
export interface Watch {
  readonly interrupt: AbortSignal;
  now(): number;
  readonly timings: 'on' | 'off';
  /** Hears how many requests were answered so far. */
  progress(requests: number): void;
}

/** The lines of a log with their line ends. */
export function* logLines(entries: Iterable<LogEntry>): Generator<string> {
  for (const entry of entries) yield `${serialiseEntry(entry)}\n`;
}

/** SHA-256 of a log as it is written. */
function digestLog(entries: Iterable<LogEntry>): string {
  const hash = createHash('sha256');
  for (const line of logLines(entries)) hash.update(line);
  return hash.digest('hex');
}

/** Replays a transcript, pausing often enough to show progress and to hear Ctrl-C. */
export async function execute(plan: RunPlan, transcript: Transcript, watch: Watch): Promise<Execution> {
  const fold = createMetricsFold();
  const entries: LogEntry[] = [];
  let requests = 0;
  const timings = watch.timings === 'on' ? createTimings() : null;
  const sink = {
    write(entry: LogEntry) {
      entries.push(entry);
      fold.write(entry);
      if (entry.type === 'request') requests++;
    },
  };
  const parts =
    timings === null ? replayParts(plan, transcript, sink) : replayParts(plan, transcript, sink, timings);
  let nextBreath = watch.now() + BREATH_MS;
  while (parts.next().done !== true) {
    if (watch.now() < nextBreath) continue;
    watch.progress(requests);
    await breathe(watch.interrupt);
    nextBreath = watch.now() + BREATH_MS;
  }
  await breathe(watch.interrupt);
  const facts = fold.finish();
  const { promptTokens } = facts.requests;
  return {
    digest: digestLog(entries),
    facts,
    entries,
    timings: timings?.finish({ turns: facts.turns, requests, promptTokens }) ?? null,
  };
}
