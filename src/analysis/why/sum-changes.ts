import { getOrMake } from '../../core/base/once.js';
import { quantile, ratio, sum } from '../../core/base/stats.js';
import { usd } from '../../metrics/metric.js';
import { CHANGES, type ChangeName, type ChangeOutcome } from './changes.js';
import type { SessionWhy, Uncounted } from './session-why.js';

/** What a change would have saved on all sessions together; negative where it costs. */
export interface ChangeSum {
  readonly name: ChangeName;
  readonly usd: number;
  readonly low: number;
  readonly high: number;
  /** What it saves besides on requests that no recording holds; not in `usd`. */
  readonly unrecordedUsd: number;
  /** What of it is saved at the pauses themselves, the summaries taken off; absent for changes that have none. */
  readonly atPausesUsd?: number;
  /** What fetching again costs that its compactions forget, as fitted and at most (docs/faults.md); not taken off. */
  readonly refetchUsd: number;
  readonly refetchMostUsd: number;
  /** Sessions that it was tried on. */
  readonly sessions: number;
  /** Why it did nothing in sessions where it was due, and in how many. */
  readonly heldBack: readonly HeldBack[];
}

/** A reason that keeps a change from acting. */
interface HeldBack {
  readonly reason: string;
  readonly sessions: number;
}

/** How well the simulator reproduces the sessions. */
export type Reproduced = Readonly<ReturnType<typeof reproducedOf>>;

/** The same of sessions and of those that cannot be counted. */
export function reproducedOf(
  sessions: readonly Pick<SessionWhy, 'file' | 'reproduction'>[],
  uncounted: readonly Uncounted[],
) {
  const ran = sessions.flatMap(({ reproduction }) =>
    reproduction.kind === 'reproduced' ? [reproduction] : [],
  );
  const errors = ran.map(
    ({ predictedNano, recordedNano }) => Math.abs(predictedNano / recordedNano - 1) * 100,
  );
  const recorded = sum(ran.map(({ recordedNano }) => recordedNano));
  const predicted = sum(ran.map(({ predictedNano }) => predictedNano));
  const net = ratio(predicted - recorded, recorded);
  const aside = sessions.flatMap(({ file, reproduction }) =>
    reproduction.kind === 'set-aside' ? [{ file, reason: reproduction.reason }] : [],
  );
  return {
    sessions: ran.length,
    withinPercentMedian: quantile(errors, 0.5),
    withinPercentNineOfTen: quantile(errors, 0.9),
    netPercent: net === null ? null : net * 100,
    setAside: [...aside, ...uncounted].sort((a, b) => (a.file < b.file ? -1 : 1)),
  };
}

/** What a change would have saved on the sessions that it was tried on, nano-dollars. */
interface Tried {
  sessions: number;
  saved: number;
  off: number;
  unrecorded: number;
  /** Null for changes without pauses. */
  atPauses: number | null;
  refetch: number;
  refetchMost: number;
  /** Sessions by the reason why it did nothing. */
  readonly heldBack: Map<string, number>;
}

/** What the changes would have saved on sessions together, which are added one after the other. */
export class ChangeTally {
  readonly #tried = new Map<ChangeName, Tried>();

  add(changes: readonly ChangeOutcome[]): void {
    for (const change of changes) {
      const own = this.#of(change.name);
      const { atPausesNano, refetchNano = 0, refetchMostNano = 0, unrecordedNano = 0, heldBack } = change;
      own.sessions++;
      own.saved += change.savedNano;
      own.off += change.offNano;
      own.unrecorded += unrecordedNano;
      if (atPausesNano !== undefined) own.atPauses = (own.atPauses ?? 0) + atPausesNano;
      own.refetch += refetchNano;
      own.refetchMost += refetchMostNano;
      if (heldBack !== null) own.heldBack.set(heldBack, (own.heldBack.get(heldBack) ?? 0) + 1);
    }
  }

  #of(name: ChangeName): Tried {
    return getOrMake(this.#tried, name, () => ({
      sessions: 0,
      saved: 0,
      off: 0,
      unrecorded: 0,
      atPauses: null,
      refetch: 0,
      refetchMost: 0,
      heldBack: new Map(),
    }));
  }

  /** The most first. */
  list(): readonly ChangeSum[] {
    return CHANGES.flatMap((name) => {
      const own = this.#tried.get(name);
      if (own === undefined) return [];
      return {
        name,
        usd: usd(own.saved),
        low: usd(own.saved - own.off),
        high: usd(own.saved + own.off),
        unrecordedUsd: usd(own.unrecorded),
        ...(own.atPauses === null ? {} : { atPausesUsd: usd(own.atPauses) }),
        refetchUsd: usd(own.refetch),
        refetchMostUsd: usd(own.refetchMost),
        sessions: own.sessions,
        heldBack: [...own.heldBack].map(([reason, sessions]) => ({ reason, sessions })),
      };
    }).sort((a, b) => b.usd - a.usd);
  }
}
