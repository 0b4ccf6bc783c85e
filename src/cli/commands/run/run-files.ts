import { createRunSample, type SampledLog } from '../../../report/page-data/run-sample.js';
import { eventLines, eventsCsv } from '../../../report/tables/events-csv.js';
import { requestLines, requestsCsv } from '../../../report/tables/requests-csv.js';
import type { OutputFile, ReportFolder } from '../../files/output.js';
import type { RunOutput } from '../../runs/execute.js';

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
