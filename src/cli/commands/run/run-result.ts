import { FillRecorder } from '../../../analysis/why/record-fills.js';
import { sha256Hex } from '../../../core/base/digest.js';
import type { PromptFills } from '../../../core/model/source-kind.js';
import type { Transcript } from '../../../core/model/transcript.js';
import type { RequestEntry } from '../../../core/run/log-entries.js';
import type { LogEntry } from '../../../core/run/run-log.js';
import type { ExpectationResult } from '../../../metrics/expect.js';
import { createRunSample, type SampledLog } from '../../../report/page-data/run-sample.js';
import {
  PROMPTS_FILE,
  promptLine,
  promptsHead,
  REQUESTS_HEAD,
  requestLines,
} from '../../../report/tables/csv.js';
import { EVENTS_HEAD, eventLines } from '../../../report/tables/events-csv.js';
import { faultsJson, finishedJson, remarksJson } from '../../../report/tables/summary-json.js';
import { recordedJson, whatIfOfRun } from '../../../report/text/as-recorded.js';
import { type CostDelta, costDelta } from '../../../study/comparison.js';
import type { OutputFile, ReportFolder } from '../../files/output.js';
import type { Regression } from '../../runs/earlier-run.js';
import type { Execution, RunOutput } from '../../runs/execute.js';
import type { PlannedRun } from '../../runs/plan-runs.js';

/** What one run came to. */
export interface RunResult {
  readonly planned: PlannedRun;
  readonly execution: Execution;
  readonly metrics: Readonly<Record<string, number | null>>;
  readonly expectations: readonly ExpectationResult[];
  readonly regressions: readonly Regression[];
  /** What changed since the last report in the same place; null without one. */
  readonly since: string | null;
  /** What changed since the baseline; null without one. */
  readonly sinceBaseline: string | null;
  /** Folder of its report, as the user would write it; null when none is written. */
  readonly report: string | null;
}

/** What the pictures of a run are made from. */
export interface DrawnRun extends SampledLog {
  readonly fills: PromptFills<RequestEntry>;
}

/** The files of a report that grow with its run, and what the pictures are made from afterwards. */
export interface RunFiles extends RunOutput {
  sample(): DrawnRun;
}

/** Begins the files of a run: those in its report folder, and the log that was asked for besides. */
export async function openRunFiles(
  folder: ReportFolder | null,
  below: string,
  log: OutputFile | null,
  transcript: Transcript,
): Promise<RunFiles> {
  const sample = createRunSample();
  const recorder = folder === null ? null : new FillRecorder(transcript);
  const columns = recorder?.columns ?? [];
  const of = new WeakMap<RequestEntry, readonly number[]>();
  const promptLines = (entries: readonly LogEntry[]): string => {
    let lines = '';
    for (const entry of entries) {
      if (entry.type !== 'request' && entry.type !== 'refused') continue;
      const tokens = recorder?.take(entry) ?? null;
      if (tokens === null || entry.type === 'refused') continue;
      of.set(entry, tokens);
      lines += promptLine({ n: entry.n, tokens });
    }
    return lines;
  };
  folder?.append(below, 'requests.csv', REQUESTS_HEAD);
  folder?.append(below, 'events.csv', EVENTS_HEAD);
  folder?.append(below, PROMPTS_FILE, promptsHead(columns));
  return {
    async write(entries, lines) {
      log?.append(lines);
      if (folder === null) return;
      for (const entry of entries) sample.write(entry);
      folder.append(below, 'run.jsonl', lines);
      folder.append(below, 'requests.csv', requestLines(entries));
      folder.append(below, 'events.csv', eventLines(entries));
      folder.append(below, PROMPTS_FILE, promptLines(entries));
    },
    ...(recorder === null ? {} : { onRequest: recorder.onRequest }),
    sample: () => ({ ...sample.finish(), fills: { columns, of } }),
  };
}

/** What a variant costs more than the base over the same session; nothing for the base. */
function deltaJson(
  { planned, metrics }: Pick<RunResult, 'planned' | 'metrics'>,
  results: readonly RunResult[],
): Partial<CostDelta> {
  const { variant, transcript } = planned.run;
  const base = results.find(({ planned: { run } }) => run.variant === null && run.transcript === transcript);
  if (variant === null || base === undefined) return {};
  const row = (own: RunResult['metrics']) => ({ byTranscript: new Map([['', own]]) });
  return costDelta(row(metrics), row(base.metrics), ['']);
}

/** Everything that runs found, for scripts. */
export function runJson(results: readonly RunResult[]): object {
  const runs = results.map(
    ({ planned, execution, metrics, expectations, regressions, since, sinceBaseline, report }) => ({
      name: planned.run.plan.name,
      variant: planned.run.variant,
      policy: planned.run.plan.policy.name,
      transcript: execution.facts.run?.transcript.id ?? null,
      digest: execution.digest,
      ...finishedJson(execution.facts),
      ...faultsJson(execution.facts),
      ...whatIfOfRun(execution.facts),
      ...deltaJson({ planned, metrics }, results),
      asRecorded: recordedJson(execution.facts),
      metrics,
      expectations,
      regressions,
      ...remarksJson(execution.facts),
      sinceLast: since,
      sinceBaseline,
      report,
    }),
  );
  const only = runs.length === 1 ? runs[0]! : null;
  return {
    digest: only?.digest ?? sha256Hex(runs.map((run) => run.digest).join('\n')),
    ...(only === null ? {} : { mode: only.mode, reproduced: only.reproduced }),
    metrics: only?.metrics ?? null,
    runs,
  };
}

/** How many sessions the runs are of. */
export function sessionsOf(results: readonly RunResult[]): number {
  return new Set(results.map(({ execution }) => execution.facts.run?.transcript.id)).size;
}
