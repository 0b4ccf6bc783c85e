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
export interface RankedPoint {
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
 * finished at all, the second keeps the best. Memory is that of the sessions, whatever the number of points.
 */
export class PointRanking {
  readonly #sessions: number;
  readonly #finished: Uint8Array;
  readonly #most: Float64Array;
  readonly #names: string[] = [];
  #isApart = false;

  constructor(sessions: number) {
    this.#sessions = sessions;
    this.#finished = new Uint8Array(sessions);
    this.#most = new Float64Array(sessions).fill(-1);
  }

  /** The first pass. */
  see({ session, transcript, isFinished, answered }: RankedRun): void {
    this.#names[session] ??= transcript;
    if (this.#names[session] !== transcript) this.#isApart = true;
    if (isFinished) this.#finished[session] = 1;
    this.#most[session] = Math.max(this.#most[session]!, answered ?? -1);
  }

  /** The second pass: gives the points in order, each with all its runs, and takes the best of them. */
  start(better: 'lower' | 'higher', top: number): { add(runs: readonly RankedRun[]): void; end(): Ranking } {
    const sessions = this.#finished.reduce((count, value) => count + value, 0);
    const sign = better === 'lower' ? 1 : -1;
    let best: RankedPoint[] = [];
    let [points, ranked, isAlike] = [0, 0, true];
    const trim = (): void => {
      best.sort((a, b) => sign * (a.value - b.value) || a.point - b.point);
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
          if (this.#finished[session] === 0) continue;
          if (value === null) return;
          total += value;
        }
        best.push({ point: runs[0]!.point, value: total / sessions });
        if (best.length > 2 * top + 16) trim();
      },
      end: () => {
        trim();
        const isApart = this.#isApart;
        return { best: isAlike && !isApart ? best : [], ranked, points, sessions, isAlike, isApart };
      },
    };
  }
}
