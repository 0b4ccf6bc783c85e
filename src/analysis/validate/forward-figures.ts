import { quantile, ratio, sum } from '../../core/base/stats.js';
import type { CostFigures } from './compare.js';
import type { Beside, CrashedSession, ForwardSession } from './forward.js';
import { BESIDE } from './triggers.js';

/** How far runs forward are from their recordings, as shares between 0 and 1; null if there is nothing to compare. */
export interface ForwardFigures extends CostFigures {
  readonly sessions: number;
  readonly crashed: number;
  /** Sessions in which the run lost calls that the recording made. */
  readonly unfinished: number;
  /** Sessions whose recordings tell no writes though their provider bills them: what was not read counts as written. */
  readonly writesAssumed: number;
  readonly recordedUsd: number;
  /** Errors of the input cost without what unforeseen breaks add on average, which the others hold. */
  readonly costErrorMedianWithoutHazard: number | null;
  readonly netErrorWithoutHazard: number | null;
  /** Difference of hit rates in percentage points, median of its size. */
  readonly hitRatePointsMedian: number | null;
  /** Share of sessions with as many compactions as were recorded. */
  readonly compactionCountRight: number | null;
  /** Share of the recorded compactions that the run makes before the same request or the one beside it. */
  readonly compactionPlaceRight: number | null;
  /** Σ |predicted − recorded| ÷ Σ recorded over the first requests behind compactions. */
  readonly contextAfterError: number | null;
  readonly firstReadAfterError: number | null;
  /** Share of sessions whose recorded cost lies within the 90 % interval, of those for which one is stated. */
  readonly intervalCoverage90: number | null;
}

const NANO = 1e9;

function errorOf(pairs: readonly Beside[]): number | null {
  let off = 0;
  let recorded = 0;
  for (const pair of pairs) {
    off += Math.abs(pair.predicted - pair.recorded);
    recorded += pair.recorded;
  }
  return ratio(off, recorded);
}

function share<T>(items: readonly T[], holds: (item: T) => boolean): number | null {
  return ratio(items.filter(holds).length, items.length);
}

/** Signed relative error of a session's cost, unforeseen breaks on average included. */
export function signedError({ interval, cost }: ForwardSession): number {
  return interval.expected / cost.recorded - 1;
}

/** Each compaction of the run answers one recorded one. */
function placeShare(sessions: readonly ForwardSession[]): number | null {
  let right = 0;
  let recorded = 0;
  for (const { compactedAt } of sessions) {
    const left = [...compactedAt.predicted];
    for (const { thread, request } of compactedAt.recorded) {
      recorded++;
      const at = left.findIndex(
        (place) => place.thread === thread && Math.abs(place.request - request) <= BESIDE,
      );
      if (at === -1) continue;
      left.splice(at, 1);
      right++;
    }
  }
  return ratio(right, recorded);
}

/** The figures of several sessions. */
export function forwardFigures(
  sessions: readonly ForwardSession[],
  crashed: readonly CrashedSession[],
): ForwardFigures {
  const errors = sessions.map((session) => Math.abs(signedError(session)));
  const bare = sessions.map(({ cost }) => Math.abs(cost.predicted / cost.recorded - 1));
  const recorded = sum(sessions.map(({ cost }) => cost.recorded));
  const expected = sum(sessions.map(({ interval }) => interval.expected));
  const predicted = sum(sessions.map(({ cost }) => cost.predicted));
  const points = sessions.flatMap(({ hitRate }) =>
    hitRate.predicted === null || hitRate.recorded === null
      ? []
      : [Math.abs(hitRate.predicted - hitRate.recorded) * 100],
  );
  return {
    sessions: sessions.length,
    crashed: crashed.length,
    unfinished: sessions.filter(({ callsLost }) => callsLost > 0).length,
    writesAssumed: sessions.filter(({ recordedWrites }) => recordedWrites === 'assumed').length,
    costErrorMedian: quantile(errors, 0.5),
    costErrorP75: quantile(errors, 0.75),
    costErrorP90: quantile(errors, 0.9),
    costErrorMax: quantile(errors, 1),
    netError: ratio(expected - recorded, recorded),
    netUsd: (expected - recorded) / NANO,
    recordedUsd: recorded / NANO,
    costErrorMedianWithoutHazard: quantile(bare, 0.5),
    netErrorWithoutHazard: ratio(predicted - recorded, recorded),
    hitRatePointsMedian: quantile(points, 0.5),
    compactionCountRight: share(
      sessions,
      ({ compactions }) => compactions.predicted === compactions.recorded,
    ),
    compactionPlaceRight: placeShare(sessions),
    contextAfterError: errorOf(sessions.flatMap((session) => session.contextAfter)),
    firstReadAfterError: errorOf(sessions.flatMap((session) => session.firstReadAfter)),
    intervalCoverage90: share(
      sessions.filter(({ interval }) => interval.low < interval.high),
      ({ cost, interval }) => cost.recorded >= interval.low && cost.recorded <= interval.high,
    ),
  };
}
