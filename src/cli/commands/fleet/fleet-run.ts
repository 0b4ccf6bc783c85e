import type { OpenPlugins } from '../../../config/files/open-plugins.js';
import { formatCount, formatCounted } from '../../../core/base/format.js';
import type { ExitCode } from '../../exit-codes.js';
import { type PluginOptions, withPlugins } from '../../runs/with-plugins.js';
import { type CliSession, note } from '../../session.js';
import { openColumnStudy, type StudyWords, wordsOf } from '../columns/column-study.js';
import { concludeStudy, openResults } from '../columns/column-sweep.js';
import { checkShared, finishStudy, withFleet } from './finish-study.js';
import type { RedisOptions } from './redis-connection.js';

/** Options of `ccbench fleet run`. */
export interface FleetRunOptions extends RedisOptions, Omit<StudyWords, 'file'>, PluginOptions {
  readonly results: string;
}

/** `ccbench fleet run`: hands a study to the workers of a fleet, and waits for it. A second one takes part in the waiting. */
export async function fleetRunCommand(
  session: CliSession,
  file: string,
  options: FleetRunOptions,
): Promise<ExitCode> {
  checkShared(file);
  return withPlugins(session, [file], options, (plugins) => fleetRun(session, file, options, plugins));
}

async function fleetRun(
  session: CliSession,
  file: string,
  options: FleetRunOptions,
  opened: OpenPlugins,
): Promise<ExitCode> {
  const words = wordsOf(file, options);
  const study = await openColumnStudy(session, words, opened);
  const results = await openResults(session, study, options.results);
  const { partition, name } = study.record;
  const before = results.finishedRuns();
  if (before > 0)
    note(session, `${formatCount(before)} of ${formatCounted(partition.runs, 'run')} are finished already`);
  if (before === partition.runs)
    return concludeStudy(session, study, results, { shown: options.results, ran: 0 });
  await withFleet(session, options, (fleet) =>
    finishStudy(session, fleet, results, { words, results: options.results }, name),
  );
  const ran = partition.runs - before;
  return concludeStudy(session, study, results, { shown: options.results, ran });
}
