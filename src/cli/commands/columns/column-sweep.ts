import { resolve } from 'node:path';
import type { OpenPlugins } from '../../../config/files/open-plugins.js';
import { formatCount, formatCounted } from '../../../core/base/format.js';
import { batchesOfShard, runsOfBatch, type Shard } from '../../../study/batches.js';
import { StudyResults, writeManifest } from '../../../study/results/results-folder.js';
import { EXIT, type ExitCode } from '../../exit-codes.js';
import { type PluginOptions, withPlugins } from '../../runs/with-plugins.js';
import { type CliSession, note, printJson } from '../../session.js';
import { closingText } from '../../terminal/closing.js';
import { screenFor } from '../../terminal/paint.js';
import { createProgress } from '../../terminal/progress.js';
import { openThreads } from '../study/run-study.js';
import { type ColumnStudy, openColumnStudy, type StudyWords, wordsOf } from './column-study.js';
import { runBatches } from './run-batches.js';
import { studyConclusion, summarise, summaryLines } from './summary.js';

/** How a sweep into columns is done. */
export interface ColumnSweepOptions {
  readonly results: string;
  readonly shard?: Shard;
  readonly workers?: number;
}

/** Points that are shown as the best. */
const SHOWN_BEST = 5;

/** `ccbench sweep --results`: a grid of any size into Parquet files, in one process or as one shard of many. */
export async function columnSweepCommand(
  session: CliSession,
  file: string,
  options: ColumnSweepOptions & Omit<StudyWords, 'file'> & PluginOptions,
): Promise<ExitCode> {
  return withPlugins(session, [file], options, (plugins) =>
    columnSweep(session, wordsOf(file, options), options, plugins),
  );
}

async function columnSweep(
  session: CliSession,
  words: StudyWords,
  options: ColumnSweepOptions,
  opened: OpenPlugins,
): Promise<ExitCode> {
  const study = await openColumnStudy(session, words, opened);
  const results = await openResults(session, study, options.results);
  const all = results.missing();
  const own = options.shard === undefined ? all : ownBatches(study, options.shard, results);
  const { partition } = study.record;
  const runsIn = (batches: readonly number[]): number =>
    batches.reduce((sum, batch) => {
      const { from, to } = runsOfBatch(partition, batch);
      return sum + to - from;
    }, 0);
  const toDo = runsIn(own);
  const { runs } = partition;
  const found = runs - runsIn(all);
  if (found > 0) note(session, `${formatCount(found)} of ${formatCounted(runs, 'run')} are finished already`);
  if (options.shard !== undefined) {
    const { index, of } = options.shard;
    note(session, `shard ${index} of ${of}: ${formatCounted(toDo, 'run')}`);
  }
  const progress = createProgress(session.host, session.json ? 'silent' : 'shown', 'runs');
  const threads = openThreads(options.workers);
  let ran = 0;
  progress.start(study.record.name, toDo);
  try {
    await runBatches(session, study, results, own, {
      workers: options.workers,
      threads,
      onRun: () => progress.update(++ran),
    });
  } catch (error) {
    progress.clear();
    note(session, `what is finished is kept in ${options.results}: the same command goes on from there`);
    throw error;
  } finally {
    progress.clear();
    await threads?.close();
  }
  return concludeStudy(session, study, results, { shown: options.results, ran });
}

/** Opens the folder of a study: what is damaged is done again. */
export async function openResults(
  session: CliSession,
  study: ColumnStudy,
  folder: string,
): Promise<StudyResults> {
  const results = new StudyResults(resolve(session.host.cwd, folder), study.record);
  results.announce(Date.now());
  for (const path of await results.dropDamaged())
    note(session, `${path} is damaged: its runs are made again`);
  await results.joinAll();
  return results;
}

/** The batches of a shard that are still to do. */
function ownBatches(study: ColumnStudy, shard: Shard, results: StudyResults): readonly number[] {
  return results.missing(batchesOfShard(batchCosts(study), shard));
}

/** What each batch is expected to cost: the calls of its sessions. */
function batchCosts(study: ColumnStudy): readonly number[] {
  const { sessions, variesSessions } = study;
  const { partition } = study.record;
  const weights = Array.from({ length: sessions }, (_, i) => study.weight(0, i));
  return Array.from({ length: partition.batches }, (_, batch) => {
    const { from, to } = runsOfBatch(partition, batch);
    if (variesSessions) {
      const looks = [from, Math.floor((from + to - 1) / 2), to - 1];
      const costs = looks.map((run) => study.weight(Math.floor(run / sessions), run % sessions));
      return ((to - from) * costs.reduce((sum, cost) => sum + cost, 0)) / looks.length;
    }
    let cost = 0;
    for (let run = from; run < to; run++) cost += weights[run % sessions]!;
    return cost;
  });
}

/** Writes the manifest and says what the study has come to. */
export async function concludeStudy(
  session: CliSession,
  study: ColumnStudy,
  results: StudyResults,
  { shown, ran }: { readonly shown: string; readonly ran: number },
): Promise<ExitCode> {
  results.look();
  writeManifest(results.folder);
  const summary = await summarise(results, study.shown[0]!, SHOWN_BEST, session.host.interrupt);
  if (session.json) printJson(session, { ...summary, ran, results: shown });
  else {
    const closing = {
      ...studyConclusion(summary),
      advice: `ccbench results ${shown} answers questions on them.`,
    };
    const screen = screenFor(session.host.stdout, session.colors);
    session.host.stdout.write(`${summaryLines(summary).join('\n')}\n\n${closingText(closing, screen)}`);
  }
  return summary.finished > 0 && summary.failed === summary.finished ? EXIT.input : EXIT.fine;
}
