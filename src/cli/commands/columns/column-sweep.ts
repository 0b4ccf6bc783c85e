import { resolve } from 'node:path';
import type { ScenarioSource } from '../../../config/compile.js';
import type { OpenPlugins } from '../../../config/files/open-plugins.js';
import { windowOf } from '../../../config/files/scenario-text.js';
import { sha256Hex } from '../../../core/base/digest.js';
import { formatCount, formatCounted } from '../../../core/base/format.js';
import { batchesOfShard, runsOfBatch } from '../../../study/batches.js';
import {
  type GridStudy,
  openGridStudy,
  type StudyContext,
  type StudySpec,
  specOf,
} from '../../../study/grid-study.js';
import { JobRunner, WORKER_MODULE } from '../../../study/job-runner.js';
import { compilePoint } from '../../../study/point.js';
import { ResultStore, type StudyRecord, writeManifest } from '../../../study/results/result-store.js';
import { batchCosts, runBatches } from '../../../study/run-batches.js';
import { parseAxes } from '../../../study/vary.js';
import type { CommandOptions } from '../../commands.generated.js';
import { inputOptions } from '../../files/input-options.js';
import { programVersion } from '../../program-version.js';
import { type PluginOptions, withPlugins } from '../../runs/with-plugins.js';
import { type CliSession, EXIT, type ExitCode, note, printJson } from '../../session.js';
import { Interrupted, runInterruptible, yieldToEventLoop } from '../../terminal/interrupt.js';
import { screenFor } from '../../terminal/paint.js';
import { closingText } from '../../terminal/present.js';
import { createProgress } from '../../terminal/progress.js';
import { runJobs } from '../study/run-rows.js';
import { loadInputs, type StudyInputs, studyName } from '../study/study-inputs.js';
import { oneScenario, openSource, type StudyChoice, studySessions } from '../study/study-sessions.js';
import { studyConclusion, summarise, summaryLines } from './summary.js';

/** Makes what is missing of a study, on the threads of this machine or on others; gives how many runs were made. */
export type StudyRunner = (study: GridStudy, store: ResultStore) => Promise<number>;

/** Options of a sweep into columns. */
export interface ColumnSweepOptions extends PluginOptions, StudyChoice, Omit<StudySpec, 'file'> {
  readonly results: string;
}

/** Points that are shown as the best. */
const SHOWN_BEST = 5;

/** Wall time between two looks at the terminal. */
const LOOK_MS = 20;

/** Opens what the studies of a command line share. */
export async function openContext(
  session: CliSession,
  spec: Pick<StudySpec, 'file' | 'set' | 'transcripts'>,
  opened: OpenPlugins,
): Promise<StudyContext> {
  const { host } = session;
  const { source: plain } = await openSource(session, 'sweep', [spec.file], spec, opened);
  const read = new Map<string, string>();
  const source: ScenarioSource = {
    ...plain,
    readPolicy: (written, place) => {
      const found = plain.readPolicy(written, place);
      read.set(written, sha256Hex(found.text));
      return found;
    },
  };
  const base = compilePoint(source, [], []);
  let sessions: Promise<StudyInputs> | null = null;
  let nextLook = 0;
  const load = (): Promise<StudyInputs> => (sessions ??= loadInputs(session, base.runs));
  return {
    source,
    base,
    read,
    version: programVersion(WORKER_MODULE),
    axesOf: (vary) =>
      runInterruptible(host.interrupt, () =>
        parseAxes(vary, () => windowOf(base.runs[0]!, inputOptions(session)), 'refused'),
      ),
    sessions: load,
    name: async () => studyName(base.runs[0]!.plan.name, spec.file, host.cwd, await load()),
    load: async (run) => (await loadInputs(session, [run])).transcripts[0]!,
    async pause() {
      if (host.now() < nextLook) return;
      await yieldToEventLoop(host.interrupt);
      nextLook = host.now() + LOOK_MS;
    },
  };
}

/** Opens a study without making its points. */
export async function openStudy(
  session: CliSession,
  spec: StudySpec,
  opened: OpenPlugins,
): Promise<GridStudy> {
  return openGridStudy(await openContext(session, spec, opened), spec);
}

/** Opens the folder of a study: what is damaged is done again. */
export async function openStore(
  session: CliSession,
  record: StudyRecord,
  folder: string,
): Promise<ResultStore> {
  const store = new ResultStore(resolve(session.host.cwd, folder), record);
  store.announce();
  for (const path of store.putDamagedAside())
    note(session, `${path} is damaged: it is set aside and its runs are repeated`);
  await store.joinAll();
  return store;
}

/** `ccbench sweep --results`: a grid of any size into Parquet files, in one process or as one shard of many. */
export async function columnSweepCommand(
  session: CliSession,
  files: readonly string[],
  options: ColumnSweepOptions & Pick<CommandOptions['sweep'], 'shard' | 'workers'>,
): Promise<ExitCode> {
  return columnSweep(session, files, options, () => onThreads(session, options));
}

/** The study of a command line; sessions that represent a scenario are named one by one. */
async function specFor(
  session: CliSession,
  files: readonly string[],
  options: ColumnSweepOptions,
): Promise<StudySpec> {
  const { files: found, recordings, named } = await studySessions(session, 'sweep', files, options);
  const file = oneScenario('sweep', found);
  return specOf(file, named === undefined ? options : { ...options, transcripts: recordings!.paths });
}

/** Opens a study, has what is missing of it made, and says what it has come to. */
export async function columnSweep(
  session: CliSession,
  files: readonly string[],
  options: ColumnSweepOptions,
  runnerFor: (spec: StudySpec) => StudyRunner,
): Promise<ExitCode> {
  return withPlugins(session, files, options, async (plugins) => {
    const spec = await specFor(session, files, options);
    const study = await openStudy(session, spec, plugins);
    const store = await openStore(session, study.record, options.results);
    const { runs } = study.record.partition;
    const before = store.finishedRuns();
    if (before > 0)
      note(session, `${formatCount(before)} of ${formatCounted(runs, 'run')} are finished already`);
    let ran = 0;
    try {
      if (before < runs) ran = await runnerFor(spec)(study, store);
    } catch (error) {
      // If only the waiting for a fleet ends, its workers continue.
      if (!(error instanceof Interrupted)) store.withdraw();
      throw error;
    }
    return concludeStudy(session, study, store, { shown: options.results, ran });
  });
}

/** Makes the runs of a study, or of one shard of it, on the threads of this machine. */
function onThreads(
  session: CliSession,
  options: { readonly results: string } & Pick<CommandOptions['sweep'], 'shard' | 'workers'>,
): StudyRunner {
  return async (study, store) => {
    const { shard } = options;
    const batches = store.missing(shard === undefined ? undefined : batchesOfShard(batchCosts(study), shard));
    const toDo = batches.reduce((sum, batch) => {
      const { from, to } = runsOfBatch(study.record.partition, batch);
      return sum + to - from;
    }, 0);
    if (shard !== undefined)
      note(session, `shard ${shard.index} of ${shard.of}: ${formatCounted(toDo, 'run')}`);
    const progress = createProgress(session, 'runs');
    const runner = new JobRunner(options);
    let ran = 0;
    progress.start(study.record.name, toDo);
    try {
      await runBatches(study, store, batches, runJobs(session, runner), () => progress.update(++ran));
    } catch (error) {
      progress.clear();
      note(session, `finished runs are kept in ${options.results}: the same command continues from there`);
      throw error;
    } finally {
      progress.clear();
      await runner.close();
    }
    return ran;
  };
}

/** Writes the manifest and says what the study has come to. */
async function concludeStudy(
  session: CliSession,
  study: GridStudy,
  store: ResultStore,
  { shown, ran }: { readonly shown: string; readonly ran: number },
): Promise<ExitCode> {
  store.look();
  writeManifest(store.folder);
  const summary = await summarise(store, study.shown[0]!, SHOWN_BEST, session.host.interrupt);
  if (session.json) printJson(session, { ...summary, ran, results: shown });
  else {
    const closing = {
      ...studyConclusion(summary),
      advice: `ccbench results ${shown} queries them.`,
    };
    const screen = screenFor(session.host.stdout, session.colors);
    // A command ends when its own runs are finished: what is open belongs to other shards.
    const lines = summaryLines(summary, 'left to other shards');
    session.host.stdout.write(`${lines.join('\n')}\n\n${closingText(closing, screen)}`);
  }
  return summary.finished > 0 && summary.failed === summary.finished ? EXIT.input : EXIT.fine;
}
