import type { Metric } from '../../metrics/metric.js';
import type { StoredResult } from '../kept-runs.js';
import type { CellValue } from '../result-rows.js';
import type { ResultStore } from './result-store.js';

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

/** The runs of a study that finished. */
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

/** A run as far as ranking goes. */
export interface RankedRun {
  /** Its point and its session, by their places. */
  readonly point: number;
  readonly session: number;
  /** The name of the session: settings such as the seed may make it another one. */
  readonly transcript: string;
  readonly isFinished: boolean;
  /** Calls that were settled; null for a run that failed. */
  readonly answered: number | null;
  readonly value: number | null;
}

/** A point with its mean. */
interface RankedPoint {
  readonly point: number;
  readonly value: number;
}

/** What can be said of points: the best ones, or why none is. */
export interface Ranking {
  readonly best: readonly RankedPoint[];
  /** Points that finished every session that any point finished. */
  readonly ranked: number;
  readonly points: number;
  /** Sessions that means are taken over. */
  readonly sessions: number;
  /** Where runs broke off at different calls, nothing is ranked. */
  readonly isAlike: boolean;
  /** Points that were run over different sessions are not ranked either. */
  readonly isApart: boolean;
}

/**
 * Ranks points by a mean over their sessions, in two passes over runs that are ordered by point: the first sees what can be
 * finished at all, the second keeps the best. Memory is that of the sessions, whatever the number of points. @internal
 */
export class PointRanking {
  readonly #sessions: number;
  readonly #finished: Uint8Array;
  /** Sessions in which some finished run has a value of the metric. */
  readonly #valued: Uint8Array;
  readonly #most: Float64Array;
  readonly #names: string[] = [];
  #isApart = false;

  constructor(sessions: number) {
    this.#sessions = sessions;
    this.#finished = new Uint8Array(sessions);
    this.#valued = new Uint8Array(sessions);
    this.#most = new Float64Array(sessions).fill(-1);
  }

  /** The first pass. */
  see({ session, transcript, isFinished, answered, value }: RankedRun): void {
    this.#names[session] ??= transcript;
    if (this.#names[session] !== transcript) this.#isApart = true;
    if (isFinished) this.#finished[session] = 1;
    if (isFinished && value !== null) this.#valued[session] = 1;
    this.#most[session] = Math.max(this.#most[session]!, answered ?? -1);
  }

  /** The second pass: gives the points in order, each with all its runs, and takes the best of them. */
  start(better: 'lower' | 'higher', top: number): { add(runs: readonly RankedRun[]): void; end(): Ranking } {
    const sessions = this.#finished.reduce((count, value) => count + value, 0);
    const valued = this.#valued.reduce((count, value) => count + value, 0);
    const ahead = (a: RankedPoint, b: RankedPoint): number =>
      better === 'lower' ? a.value - b.value : b.value - a.value;
    let best: RankedPoint[] = [];
    let [points, ranked, isAlike] = [0, 0, true];
    const trim = (): void => {
      best.sort((a, b) => ahead(a, b) || a.point - b.point);
      best = best.slice(0, top);
    };
    return {
      add: (runs) => {
        points++;
        if (sessions === 0 || runs.length !== this.#sessions) return;
        if (!runs.every(({ session, isFinished }) => isFinished || this.#finished[session] === 0)) return;
        if (!runs.every(({ session, answered }) => (answered ?? -1) === this.#most[session])) isAlike = false;
        ranked++;
        let total = 0;
        for (const { session, value } of runs) {
          if (this.#valued[session] === 0) continue;
          if (value === null) return;
          total += value;
        }
        if (valued > 0) best.push({ point: runs[0]!.point, value: total / valued });
        if (best.length > 2 * top + 16) trim();
      },
      end: () => {
        trim();
        const isApart = this.#isApart;
        // One alone that left a session open is not ranked.
        if (ranked === 1 && sessions < this.#sessions) ranked = 0;
        const shown = isAlike && !isApart && ranked > 0 ? best : [];
        return { best: shown, ranked, points, sessions: valued || sessions, isAlike, isApart };
      },
    };
  }
}
