import type { Metric } from '../../metrics/metric.js';
import { PointRanking, type RankedRun, type Ranking } from '../rank-points.js';
import type { CellValue } from '../result-rows.js';
import type { ResultStore } from './result-store.js';
import type { StoredResult } from './run-store.js';

/** Lets other things happen, Ctrl-C among them. */
type Pause = () => Promise<void>;

const NEEDED = ['run', 'transcript', 'finishedShare', 'callsAnswered', 'callsNotMade', 'error'];

/** The best points of a study by the mean of a metric over its sessions, and how many runs there are and failed. */
export async function rankPoints(
  store: ResultStore,
  metric: Metric,
  top: number,
  pause: Pause,
): Promise<Ranking & { readonly rows: number; readonly failed: number }> {
  const sessions = store.study.transcripts.length;
  const ranking = new PointRanking(sessions);
  const runs = async function* (): AsyncGenerator<RankedRun> {
    const rows = store.rows([...NEEDED, metric.name], pause);
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
  let [rows, failed] = [0, 0];
  for await (const run of runs()) {
    ranking.see(run);
    rows++;
    if (run.answered === null) failed++;
  }
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
  return { ...pass.end(), rows, failed };
}

/** The settings of points, read from their rows. */
export async function settingsOf(
  store: ResultStore,
  points: readonly number[],
  pause: Pause,
): Promise<ReadonlyMap<number, Readonly<Record<string, CellValue>>>> {
  const paths = store.study.axes.map(({ path }) => path);
  const sessions = store.study.transcripts.length;
  const wanted = new Set(points);
  const found = new Map<number, Readonly<Record<string, CellValue>>>();
  for await (const [run, ...values] of store.rows(['run', ...paths], pause)) {
    const point = Math.floor(Number(run) / sessions);
    if (wanted.has(point) && !found.has(point))
      found.set(point, Object.fromEntries(paths.map((path, i) => [path, values[i] ?? null])));
  }
  return found;
}

/** The runs of a study that came to an end. */
export async function storedResults(store: ResultStore, pause: Pause): Promise<readonly StoredResult[]> {
  const { metrics } = store.study;
  const found: StoredResult[] = [];
  for await (const [key, skipped, error, ...values] of store.rows(
    ['key', 'skipped', 'error', ...metrics],
    pause,
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
