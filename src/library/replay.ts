import { blamePlugins } from '../config/plugins/register-plugin.js';
import { createSha256 } from '../core/base/digest.js';
import type { Transcript } from '../core/model/transcript.js';
import type { LogEntry } from '../core/run/run-log.js';
import type { RunPlan } from '../core/run/run-plan.js';
import { replay as replayPlan } from '../engine/run/replay.js';
import type { RunFacts } from '../metrics/facts.js';
import { createMetricsFold } from '../metrics/fold.js';
import { findMetric, metricNames } from '../metrics/registry.js';
import { logLines } from '../report/tables/log-lines.js';
import { loadTranscript } from '../transcripts/files/transcripts.js';
import { readTranscript as readBytes } from '../transcripts/read-transcript.js';
import { pathOf, type Source, withFullMessages, workingFolder } from './source.js';

/** How a replay is watched. */
export interface ReplayOptions {
  /** Hears of every entry of the log as it is made. */
  readonly onEntry?: (entry: LogEntry) => void;
  /** `dropped` keeps no entry, for logs that are too long; `kept` where absent. */
  readonly log?: 'kept' | 'dropped';
}

/** What a replay came to. */
export interface ReplayResult {
  readonly log: readonly LogEntry[];
  /** Every metric that `ccbench metrics` lists by name; null where the run has no data for it. */
  readonly metrics: Readonly<Record<string, number | null>>;
  /** Everything the log says, added up. */
  readonly facts: RunFacts;
  /** SHA-256 of the log: equal digests are equal runs, here and on the command line. */
  readonly digest: string;
}

/** Replays a transcript under a plan. The result depends on both alone. */
export function replay(plan: RunPlan, transcript: Transcript, options: ReplayOptions = {}): ReplayResult {
  return withFullMessages(() => {
    const log: LogEntry[] = [];
    const fold = createMetricsFold();
    const hash = createSha256();
    const write = (entry: LogEntry): void => {
      if (options.log !== 'dropped') log.push(entry);
      fold.write(entry);
      hash.add(logLines([entry]));
      options.onEntry?.(entry);
    };
    try {
      replayPlan(plan, transcript, { write });
    } catch (error) {
      throw blamePlugins(plan, error);
    }
    const facts = fold.finish();
    const metrics = Object.fromEntries(
      metricNames().map((name) => [name, findMetric(name)!.value(facts)] as const),
    );
    return { log, metrics, facts, digest: hash.hex() };
  });
}

/** Reads a recording in any format that ccbench or a plug-in knows: a file with the subagents beside it, a text, or bytes. */
export function readTranscript(
  source: Source | Uint8Array,
  options: { readonly id?: string } = {},
): Transcript {
  return withFullMessages(() => {
    const path = source instanceof Uint8Array ? null : pathOf(source);
    if (path !== null) return loadTranscript(path, { cwd: workingFolder() }).transcript;
    const bytes = source instanceof Uint8Array ? source : Buffer.from(String(source), 'utf8');
    return readBytes(bytes, { id: options.id ?? 'transcript', agents: [] }).transcript;
  });
}
