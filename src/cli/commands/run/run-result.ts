import type { ExpectationResult } from '../../../metrics/expect.js';
import { createRunSample, type SampledLog } from '../../../report/page-data/run-sample.js';
import { eventLines, eventsCsv } from '../../../report/tables/events-csv.js';
import { requestLines, requestsCsv } from '../../../report/tables/requests-csv.js';
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

/** The files of a report that grow with its run, and what the pictures are made from afterwards. */
export interface RunFiles extends RunOutput {
  sample(): SampledLog;
}

/** Begins the files of a run: those in its report folder, and the log that was asked for besides. */
export async function openRunFiles(
  folder: ReportFolder | null,
  below: string,
  log: OutputFile | null,
): Promise<RunFiles> {
  const sample = createRunSample();
  await folder?.append(below, 'requests.csv', requestsCsv([]));
  await folder?.append(below, 'events.csv', eventsCsv([]));
  return {
    async write(entries, lines) {
      await log?.append(lines);
      if (folder === null) return;
      for (const entry of entries) sample.write(entry);
      await folder.append(below, 'run.jsonl', lines);
      await folder.append(below, 'requests.csv', requestLines(entries));
      await folder.append(below, 'events.csv', eventLines(entries));
    },
    sample: () => sample.finish(),
  };
}
