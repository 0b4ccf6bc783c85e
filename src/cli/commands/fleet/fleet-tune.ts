import { CcbenchError } from '../../../core/base/errors.js';
import { type StudyResults, writeManifest } from '../../../study/results/results-folder.js';
import type { StoredResult } from '../../../study/results-file.js';
import type { ExitCode } from '../../exit-codes.js';
import { withPlugins } from '../../runs/with-plugins.js';
import { type CliSession, silent } from '../../session.js';
import { columnStudyOn, openGround, type StudyGround, wordsOf } from '../columns/column-study.js';
import { openResults } from '../columns/column-sweep.js';
import { readRows } from '../columns/read-results.js';
import type { Elsewhere } from '../study/run-points.js';
import { type TuneOptions, tune } from '../tune/tune.js';
import { checkShared, finishStudy, withFleet } from './finish-study.js';
import type { RedisOptions } from './redis-connection.js';

/** Options of `ccbench fleet tune`. */
export interface FleetTuneOptions extends RedisOptions, TuneOptions {
  readonly results: string;
}

/**
 * `ccbench fleet tune`: a search whose runs are made by the workers of a fleet. Each step of it is a study of its own in the results
 * folder: what is finished there is found again, by whoever asks.
 */
export async function fleetTuneCommand(
  session: CliSession,
  file: string,
  options: FleetTuneOptions,
): Promise<ExitCode> {
  checkShared(file);
  return withPlugins(session, [file], options, (opened) =>
    withFleet(session, options, (fleet) => {
      // The search itself tells what there is to know of the scenario and its sessions.
      const quiet = silent(session);
      let ground: Promise<StudyGround> | null = null;
      const elsewhere: Elsewhere = async (step, metrics, label) => {
        const words = { ...wordsOf(file, { ...options, vary: [], metrics: metrics.join(',') }), step };
        ground ??= openGround(quiet, words, opened);
        const study = await columnStudyOn(quiet, await ground, words);
        if (study.variesSessions)
          throw new CcbenchError('bad-usage', 'a fleet searches over the same sessions at every setting', {
            hint: 'vary no setting of the sessions, or search on one machine: ccbench tune',
          });
        const results = await openResults(session, study, options.results);
        if (results.missing().length > 0)
          await finishStudy(session, fleet, results, { words, results: options.results }, label);
        results.look();
        writeManifest(results.folder);
        return finishedRuns(results, session.host.interrupt);
      };
      return tune(session, file, options, opened, elsewhere);
    }),
  );
}

/** The runs of a study that came to an end. */
async function finishedRuns(results: StudyResults, interrupt: AbortSignal): Promise<readonly StoredResult[]> {
  const { metrics } = results.study;
  const found: StoredResult[] = [];
  for await (const [key, skipped, error, ...values] of readRows(
    results,
    ['key', 'skipped', 'error', ...metrics],
    interrupt,
  )) {
    if (key === null || error !== null) continue;
    found.push({
      key: String(key),
      metrics: Object.fromEntries(metrics.map((name, i) => [name, values[i] as number | null])),
      skipped: skipped === null ? [] : String(skipped).split('; '),
    });
  }
  return found;
}
