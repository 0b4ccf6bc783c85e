import { setTimeout } from 'node:timers/promises';
import { CcbenchError } from '../../../base/errors.js';
import type { OpenPlugins } from '../../../files/open-plugins.js';
import { formatCount, formatCounted } from '../../../report/format.js';
import type { ExitCode } from '../../exit-codes.js';
import { type PluginOptions, withPlugins } from '../../runs/with-plugins.js';
import { type CliSession, note } from '../../session.js';
import { breathe, Interrupted } from '../../terminal/interrupt.js';
import { createProgress } from '../../terminal/progress.js';
import { openColumnStudy, type StudyWords, wordsOf } from '../columns/column-study.js';
import { concludeStudy, openResults } from '../columns/column-sweep.js';
import { addBatches, openQueue, publishStudy, takeFailed } from './fleet-queue.js';
import { connectRedis, type RedisOptions } from './redis-connection.js';

/** Options of `ccbench fleet run`. */
export interface FleetRunOptions extends RedisOptions, Omit<StudyWords, 'file'>, PluginOptions {
  readonly results: string;
}

/** Wall time between two looks at the folder. */
const LOOK_MS = 500;

/** Looks between two checks that everything that is missing is in the queue. */
const LOOKS_PER_CHECK = 10;

/** `ccbench fleet run`: hands a study to the workers of a fleet, and waits for it. A second one takes part in the waiting. */
export async function fleetRunCommand(
  session: CliSession,
  file: string,
  options: FleetRunOptions,
): Promise<ExitCode> {
  return withPlugins(session, [file], options, (plugins) => fleetRun(session, file, options, plugins));
}

async function fleetRun(
  session: CliSession,
  file: string,
  options: FleetRunOptions,
  opened: OpenPlugins,
): Promise<ExitCode> {
  const { interrupt } = session.host;
  const words = wordsOf(file, options);
  const study = await openColumnStudy(session, words, opened);
  const results = await openResults(session, study, options.results);
  const { id, partition, name } = study.record;
  const before = results.finishedRuns();
  if (before > 0)
    note(session, `${formatCount(before)} of ${formatCounted(partition.runs, 'run')} are finished already`);
  if (before === partition.runs)
    return concludeStudy(session, study, results, { shown: options.results, ran: 0 });
  const client = await connectRedis(session, options);
  const queue = await openQueue(client);
  const progress = createProgress(session.host, session.json ? 'silent' : 'shown', 'runs');
  try {
    await publishStudy(client, id, { words, results: options.results });
    await takeFailed(queue, id);
    await addBatches(queue, id, results.missing());
    progress.start(name, partition.runs);
    for (let look = 1; ; look++) {
      await breathe(interrupt);
      results.look();
      if (results.missing().length === 0) break;
      if (look % LOOKS_PER_CHECK === 0) {
        const [reason] = await takeFailed(queue, id);
        if (reason !== undefined)
          throw new CcbenchError('bad-input', `no machine could do a batch: ${reason}`, {
            hint: 'mend it and type the same command again; what is finished is kept',
          });
        await addBatches(queue, id, results.missing());
        if (look === LOOKS_PER_CHECK && (await queue.getActiveCount()) === 0)
          note(session, 'no worker has taken a batch yet: `ccbench fleet worker --redis …` starts one');
      }
      const active = (await queue.getActive()).filter((job) => job?.data.study === id);
      const begun = active.reduce(
        (sum, job) => sum + (typeof job.progress === 'number' ? job.progress : 0),
        0,
      );
      progress.update(Math.min(partition.runs, results.finishedRuns() + begun));
      await setTimeout(LOOK_MS, undefined, { signal: interrupt }).catch(() => {});
    }
  } catch (error) {
    progress.clear();
    if (error instanceof Interrupted)
      note(session, 'the workers go on; the same command waits for them again');
    throw error;
  } finally {
    progress.clear();
    await queue.close();
    client.disconnect();
  }
  await results.joinAll();
  const ran = partition.runs - before;
  return concludeStudy(session, study, results, { shown: options.results, ran });
}
