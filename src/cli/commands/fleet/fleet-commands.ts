import { CcbenchError } from '../../../core/base/errors.js';
import { openGridStudy, type StudyContext, specOf } from '../../../study/grid-study.js';
import { storedResults } from '../../../study/results/read-results.js';
import { writeManifest } from '../../../study/results/result-store.js';
import type { CommandOptions } from '../../commands.generated.js';
import type { WithSet } from '../../option-values.js';
import { withPlugins } from '../../runs/with-plugins.js';
import { type CliSession, type ExitCode, silent } from '../../session.js';
import { Interrupted, yieldToEventLoop } from '../../terminal/interrupt.js';
import { columnSweep, openContext, openStore } from '../columns/column-sweep.js';
import { tune } from '../tune/tune.js';
import type { RemoteRunner } from '../tune/tune-search.js';
import { checkShared, finishStudy, withFleet } from './fleet-queue.js';

/** `ccbench fleet run`: hands a study to the workers of a fleet, and waits for it. A second one takes part in the waiting. */
export async function fleetRunCommand(
  session: CliSession,
  file: string,
  options: WithSet<CommandOptions['fleet run']>,
): Promise<ExitCode> {
  checkShared(file);
  const { results } = options;
  return columnSweep(session, [file], options, (spec) => async ({ record }, store) => {
    const before = store.finishedRuns();
    await withFleet(session, options, (fleet) =>
      finishStudy(session, fleet, store, { spec, results }, record.name),
    );
    return record.partition.runs - before;
  });
}

/**
 * `ccbench fleet tune`: a search whose runs are made by the workers of a fleet. Each step of it is a study of its own in the results
 * folder: what is finished there is found by any later command.
 */
export async function fleetTuneCommand(
  session: CliSession,
  file: string,
  options: WithSet<CommandOptions['fleet tune']>,
): Promise<ExitCode> {
  checkShared(file);
  const { results } = options;
  return withPlugins(session, [file], options, (opened) =>
    withFleet(session, options, (fleet) => {
      // The search itself says what there is to know of the scenario and its sessions.
      const quiet = silent(session);
      let context: Promise<StudyContext> | null = null;
      const remote: RemoteRunner = async (step, metrics, label) => {
        const spec = { ...specOf(file, { ...options, vary: [], metrics: metrics.join(',') }), step };
        context ??= openContext(quiet, spec, opened);
        const study = await openGridStudy(await context, spec);
        if (study.variesSessions)
          throw new CcbenchError('bad-usage', 'a fleet searches over the same sessions at every setting', {
            hint: 'vary no setting of the sessions, or search on one machine: ccbench tune',
          });
        const store = await openStore(session, study.record, results);
        if (store.missing().length > 0)
          await finishStudy(session, fleet, store, { spec, results }, label).catch((error: unknown) => {
            if (!(error instanceof Interrupted)) store.withdraw();
            throw error;
          });
        store.look();
        writeManifest(store.folder);
        return storedResults(store, () => yieldToEventLoop(session.host.interrupt));
      };
      return tune(session, [file], options, opened, remote);
    }),
  );
}
