import { blamePlugins } from '../../config/plugins/register-plugin.js';
import { createSha256 } from '../../core/base/digest.js';
import type { Transcript } from '../../core/model/transcript.js';
import type { LogEntry } from '../../core/run/run-log.js';
import type { RunPlan } from '../../core/run/run-plan.js';
import { NO_TIMING, type RequestListener } from '../../engine/requests/run-env.js';
import { replayParts } from '../../engine/run/replay.js';
import type { RunFacts } from '../../metrics/facts.js';
import { createMetricsFold } from '../../metrics/fold.js';
import type { Cassette } from '../../provider/fake-llm/summaries/cassette.js';
import { logLines } from '../../report/tables/log-lines.js';
import type { CliSession } from '../session.js';
import { yieldToEventLoop } from '../terminal/interrupt.js';
import { createTimings, type RunTimings } from './timings.js';

/** Wall time between two looks at the terminal. */
const BREATH_MS = 40;

/** A finished run. */
export interface Execution {
  /** SHA-256 of the log as it is written: equal digests are equal runs. */
  readonly digest: string;
  readonly facts: RunFacts;
  /** Wall-clock timings; null when they were not wanted. */
  readonly timings: RunTimings | null;
}

/** Where the log of a run goes, and how it is watched. */
export interface RunOutput {
  /** Takes the log while it is made, part by part. */
  write(entries: readonly LogEntry[], lines: string): Promise<void>;
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

/** Replays a transcript, pausing often enough to show progress and to hear Ctrl-C; no entry is kept. */
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
    await output.write(part, lines);
    writingMs += host.now() - startMs;
  };
  const timings = output.timings === 'on' ? createTimings() : null;
  const sink = {
    write(entry: LogEntry) {
      entries.push(entry);
      fold.write(entry);
      if (entry.type === 'request') requests++;
    },
  };
  const { cassette, onRequest } = output;
  const listeners = {
    ...(cassette === undefined ? {} : { cassette }),
    ...(onRequest === undefined ? {} : { onRequest }),
  };
  const parts = replayParts(plan, transcript, sink, timings ?? NO_TIMING, listeners);
  let nextBreath = host.now() + BREATH_MS;
  const goOn = (): boolean => {
    try {
      return parts.next().done !== true;
    } catch (error) {
      throw blamePlugins(plan, error);
    }
  };
  while (goOn()) {
    if (entries.length >= ENTRIES_PER_PART) await flush();
    if (host.now() < nextBreath) continue;
    output.progress?.(requests);
    await yieldToEventLoop(host.interrupt);
    nextBreath = host.now() + BREATH_MS;
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
