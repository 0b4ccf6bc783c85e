import { join } from 'node:path';
import { sha256Hex } from '../../base/digest.js';
import { CcbenchError } from '../../base/errors.js';
import { readTextInput } from '../../files/read-input.js';
import type { RunFacts } from '../../metrics/facts.js';
import { foldLog } from '../../metrics/fold.js';
import { parseLog } from '../../metrics/read-log.js';
import { metricValues } from '../../metrics/registry.js';
import type { LogEntry } from '../../model/run-log.js';
import { recordedJson } from '../../report/as-recorded.js';
import { eventsCsv } from '../../report/events-csv.js';
import { requestsCsv } from '../../report/requests-csv.js';
import { sampleLog } from '../../report/run-sample.js';
import { finishedJson, summaryJson } from '../../report/summary-json.js';
import { terminalReport } from '../../report/terminal.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { type FileContent, openFile } from '../files/output.js';
import { type CliSession, printJson } from '../session.js';
import { withoutPause } from '../terminal/interrupt.js';
import { screenFor } from '../terminal/paint.js';
import type { PictureOptions } from '../terminal/report-pictures.js';

/** Options of `ccbench report`. */
export interface ReportOptions extends PictureOptions {
  readonly out?: string;
}

/** The facts of a log that somebody gave: where it contradicts itself, it was changed after the run. */
function foldGiven(entries: readonly LogEntry[], file: string): RunFacts {
  try {
    return foldLog(entries);
  } catch (error) {
    if (!(error instanceof CcbenchError) || error.code !== 'invariant') throw error;
    throw new CcbenchError('bad-log', `the log contradicts itself: ${error.message}`, {
      hint: 'the file was changed after the run; run the scenario again',
      place: { file },
      cause: error,
    });
  }
}

/** `ccbench report`: everything that can be made from a log, without the engine. */
export async function reportCommand(
  session: CliSession,
  file: string,
  options: ReportOptions,
): Promise<ExitCode> {
  const { cwd, stdout } = session.host;
  const { entries, facts, digest } = await withoutPause(session.host.interrupt, () => {
    const text = readTextInput(file, { cwd });
    const read = parseLog(text, file);
    return { entries: read, facts: foldGiven(read, file), digest: sha256Hex(text) };
  });
  const report = { digest, facts, expectations: [] };
  if (options.out !== undefined) {
    const files = [
      ['summary.json', summaryJson(report)],
      ['requests.csv', requestsCsv(entries)],
      ['events.csv', eventsCsv(entries)],
    ] as const;
    const write = async (path: string, content: FileContent): Promise<void> => {
      const output = openFile(path, cwd);
      await output.write(content);
      output.commit();
    };
    for (const [name, content] of files) await write(join(options.out, name), content);
    if (options.charts) {
      const { reportPictures } = await import('../terminal/report-pictures.js');
      const { policyInfoOf } = await import('../runs/policy-info.js');
      const name = facts.run?.name ?? file;
      const run = { name, ...sampleLog(entries), facts, digest, policyInfo: policyInfoOf(facts) };
      for await (const picture of reportPictures(run, options, session.host.interrupt)) {
        await write(join(options.out, picture.folder, picture.name), picture.content);
      }
    }
  }
  if (session.json) {
    printJson(session, {
      digest,
      name: facts.run?.name ?? null,
      policy: facts.run?.policy ?? null,
      complete: facts.complete,
      ...finishedJson(facts),
      asRecorded: recordedJson(facts),
      metrics: metricValues(facts),
      skipped: facts.skipped.map(({ what, needs }) => ({ what, needs })),
      warnings: facts.warnings.map(({ code, message, remedy, count }) => ({ code, message, remedy, count })),
    });
  } else stdout.write(terminalReport(report, screenFor(stdout, session.colors)));
  return EXIT.fine;
}
