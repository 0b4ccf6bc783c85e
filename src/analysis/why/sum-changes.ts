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

/** What the changes would have saved on sessions together, the most first. */
export function changesOf(sessions: readonly Pick<SessionWhy, 'changes'>[]): readonly ChangeSum[] {
  const all = sessions.flatMap(({ changes }) => changes);
  return CHANGES.filter((name) => all.some((change) => change.name === name))
    .map((name) => {
      const own = all.filter((change) => change.name === name);
      const saved = sum(own.map(({ savedNano }) => savedNano));
      const off = sum(own.map(({ offNano }) => offNano));
      const low = usd(saved - off);
      const high = usd(saved + off);
      const atPauses = own.flatMap(({ atPausesNano }) => atPausesNano ?? []);
      return {
        name,
        usd: usd(saved),
        low,
        high,
        ...(atPauses.length === 0 ? {} : { atPausesUsd: usd(sum(atPauses)) }),
        refetchUsd: usd(sum(own.map(({ refetchNano = 0 }) => refetchNano))),
        refetchMostUsd: usd(sum(own.map(({ refetchMostNano = 0 }) => refetchMostNano))),
        sessions: own.length,
        heldBack: heldBackOf(own),
      };
    })
    .sort((a, b) => b.usd - a.usd);
}

function heldBackOf(outcomes: readonly ChangeOutcome[]): readonly HeldBack[] {
  const counts = new Map<string, number>();
  for (const { heldBack } of outcomes)
    if (heldBack !== null) counts.set(heldBack, (counts.get(heldBack) ?? 0) + 1);
  return [...counts].map(([reason, sessions]) => ({ reason, sessions }));
}
