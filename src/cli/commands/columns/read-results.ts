import type { Metric } from '../../../metrics/metric.js';
import { PointRanking, type RankedRun, type Ranking } from '../../../study/rank-points.js';
import type { CellValue } from '../../../study/result-rows.js';
import { readPart } from '../../../study/results/part-file.js';
import type { StudyResults } from '../../../study/results/results-folder.js';
import { breathe } from '../../terminal/interrupt.js';

/** Some columns of all rows of a study in the order of its runs, one file in memory at a time. */
export async function* readRows(
  results: StudyResults,
  names: readonly string[],
  interrupt: AbortSignal,
): AsyncGenerator<readonly CellValue[]> {
  const { columns } = results.study;
  for (const { kind, place, path } of results.sources()) {
    await breathe(interrupt);
    if (kind === 'part') yield* await readPart(path, names);
    else {
      const at = names.map((name) => columns.findIndex((column) => column.name === name));
      for (const { cells } of results.rowsOf(place) ?? []) yield at.map((i) => cells[i] ?? null);
    }
  }
}

const NEEDED = ['run', 'transcript', 'finishedShare', 'callsAnswered', 'callsNotMade', 'error'];

/** The best points of a study by the mean of a metric over its sessions. */
export async function rankPoints(
  results: StudyResults,
  metric: Metric,
  top: number,
  interrupt: AbortSignal,
): Promise<Ranking> {
  const sessions = results.study.transcripts.length;
  const ranking = new PointRanking(sessions);
  const runs = async function* (): AsyncGenerator<RankedRun> {
    const rows = readRows(results, [...NEEDED, metric.name], interrupt);
    for await (const [run, transcript, share, answered, notMade, error, value] of rows)
      yield {
        point: Math.floor(Number(run) / sessions),
        session: Number(run) % sessions,
        transcript: String(transcript),
        isFinished: share === 1,
        answered: error === null ? Number(answered ?? 0) + Number(notMade ?? 0) : null,
        value: value as number | null,
      };
  };
  for await (const run of runs()) ranking.see(run);
  const pass = ranking.start(metric.better === 'higher' ? 'higher' : 'lower', top);
  let own: RankedRun[] = [];
  for await (const run of runs()) {
    if (own.length > 0 && own[0]!.point !== run.point) {
      pass.add(own);
      own = [];
    }
    own.push(run);
  }
  if (own.length > 0) pass.add(own);
  return pass.end();
}

/** The settings of points, read from their rows. */
export async function settingsOf(
  results: StudyResults,
  points: readonly number[],
  interrupt: AbortSignal,
): Promise<ReadonlyMap<number, Readonly<Record<string, CellValue>>>> {
  const paths = results.study.axes.map(({ path }) => path);
  const sessions = results.study.transcripts.length;
  const wanted = new Set(points);
  const found = new Map<number, Readonly<Record<string, CellValue>>>();
  for await (const [run, ...values] of readRows(results, ['run', ...paths], interrupt)) {
    const point = Math.floor(Number(run) / sessions);
    if (wanted.has(point) && !found.has(point))
      found.set(point, Object.fromEntries(paths.map((path, i) => [path, values[i] ?? null])));
  }
  return found;
}

/** How many runs are there, and how many of them failed. */
export async function countRuns(
  results: StudyResults,
  interrupt: AbortSignal,
): Promise<{ readonly rows: number; readonly failed: number }> {
  let [rows, failed] = [0, 0];
  for await (const [error] of readRows(results, ['error'], interrupt)) {
    rows++;
    if (error !== null) failed++;
  }
  return { rows, failed };
}
