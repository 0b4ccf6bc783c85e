import { describe, expect, it } from 'vitest';
import { PointRanking, type RankedRun } from '../../src/study/results/read-results.js';

/** Runs of one session as they are ranked. */
type Outcome = Pick<RankedRun, 'isFinished' | 'answered' | 'value'>;

const done = (value: number | null, answered = 9): Outcome => ({ isFinished: true, answered, value });
const cut = (answered: number, value: number): Outcome => ({ isFinished: false, answered, value });

const runsOf = (points: readonly (readonly Outcome[])[]) =>
  points.map((sessions, point) =>
    sessions.map((own, session): RankedRun => ({ point, session, transcript: `s${session}`, ...own })),
  );

function rankRuns(
  sessions: number,
  points: readonly (readonly RankedRun[])[],
  better: 'lower' | 'higher' = 'lower',
) {
  const ranking = new PointRanking(sessions);
  for (const own of points) for (const run of own) ranking.see(run);
  const pass = ranking.start(better, 2);
  for (const own of points) pass.add(own);
  return pass.end();
}

/** Ranks points over two sessions. */
const rank = (...points: readonly (readonly Outcome[])[]) => rankRuns(2, runsOf(points));

describe('PointRanking', () => {
  it('a cheap point that did not finish what others finished is not ranked', () => {
    const { best, ranked } = rank([done(4), done(2)], [done(1), cut(3, 0)], [done(1), done(4)]);
    expect(best).toEqual([
      { point: 2, value: 2.5 },
      { point: 0, value: 3 },
    ]);
    expect(ranked).toBe(2);
  });

  it('a session that nobody finished is left out of the means, and ends the ranking where it broke off differently', () => {
    expect(rank([done(4), cut(5, 100)], [done(3), cut(5, 900)]).best).toEqual([
      { point: 1, value: 3 },
      { point: 0, value: 4 },
    ]);
    const different = rank([done(4), cut(5, 100)], [done(3), cut(4, 900)]);
    expect(different).toMatchObject({ best: [], isAlike: false });
  });

  it('points over different sessions are not ranked', () => {
    const runs = ['seed 1', 'seed 2'].map((transcript, point) => [
      { ...done(point), point, session: 0, transcript },
    ]);
    expect(rankRuns(1, runs)).toMatchObject({ best: [], isApart: true });
  });

  it('keeps the best of many, the first of equals', () => {
    const many = Array.from({ length: 200 }, (_, i) => [done(i % 7, 1), done(0, 1)]);
    expect(rank(...many).best).toEqual([
      { point: 0, value: 0 },
      { point: 7, value: 0 },
    ]);
  });

  it('takes more for better where asked to, and gives no mean to a point that lacks a value', () => {
    const runs = runsOf([2, null, 5, 3].map((value) => [done(value, 1)]));
    expect(rankRuns(1, runs, 'higher')).toEqual({
      best: [
        { point: 2, value: 5 },
        { point: 3, value: 3 },
      ],
      ranked: 4,
      points: 4,
      sessions: 1,
      isAlike: true,
      isApart: false,
    });
  });

  it('takes the mean over the sessions in which the metric has a value at all', () => {
    expect(rank([done(4), done(null)], [done(3), done(null)])).toMatchObject({
      best: [
        { point: 1, value: 3 },
        { point: 0, value: 4 },
      ],
      ranked: 2,
      sessions: 1,
    });
    // A value that only some points have tells them apart, not better from worse.
    expect(rank([done(4), done(1)], [done(3), done(null)]).best).toEqual([{ point: 0, value: 2.5 }]);
  });

  it('ranks no point that was not run over every session, and none where nothing was finished', () => {
    const some = rank([done(1, 4)], [done(1, 4), done(1, 4)]);
    expect(some).toMatchObject({ best: [{ point: 1, value: 1 }], ranked: 1, points: 2, sessions: 2 });
    const failed = { isFinished: false, answered: null, value: null };
    expect(rankRuns(1, runsOf([[failed]]))).toMatchObject({ best: [], ranked: 0, points: 1, sessions: 0 });
  });
});
