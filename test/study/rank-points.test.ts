import { describe, expect, it } from 'vitest';
import { PointRanking, type RankedRun } from '../../src/study/results/read-results.js';

/** Points over two sessions: [finished, answered, value] of each. */
function rank(points: readonly (readonly (readonly [boolean, number, number])[])[]) {
  const runs = points.map((sessions, point) =>
    sessions.map(
      ([isFinished, answered, value], session): RankedRun => ({
        point,
        session,
        transcript: `s${session}`,
        isFinished,
        answered,
        value,
      }),
    ),
  );
  const ranking = new PointRanking(2);
  for (const own of runs) for (const run of own) ranking.see(run);
  const pass = ranking.start('lower', 2);
  for (const own of runs) pass.add(own);
  return pass.end();
}

describe('PointRanking', () => {
  it('a cheap point that did not finish what others finished is not ranked', () => {
    const { best, ranked } = rank([
      [
        [true, 9, 4],
        [true, 9, 2],
      ],
      [
        [true, 9, 1],
        [false, 3, 0],
      ],
      [
        [true, 9, 1],
        [true, 9, 4],
      ],
    ]);
    expect(best).toEqual([
      { point: 2, value: 2.5 },
      { point: 0, value: 3 },
    ]);
    expect(ranked).toBe(2);
  });

  it('a session that nobody finished is left out of the means, and ends the ranking where it broke off differently', () => {
    const alike = rank([
      [
        [true, 9, 4],
        [false, 5, 100],
      ],
      [
        [true, 9, 3],
        [false, 5, 900],
      ],
    ]);
    expect(alike.best).toEqual([
      { point: 1, value: 3 },
      { point: 0, value: 4 },
    ]);
    const different = rank([
      [
        [true, 9, 4],
        [false, 5, 100],
      ],
      [
        [true, 9, 3],
        [false, 4, 900],
      ],
    ]);
    expect(different).toMatchObject({ best: [], isAlike: false });
  });

  it('points over different sessions are not ranked', () => {
    const ranking = new PointRanking(1);
    const runs = ['seed 1', 'seed 2'].map((transcript, point) => ({
      ...{ point, session: 0, transcript },
      ...{ isFinished: true, answered: 1, value: point },
    }));
    for (const run of runs) ranking.see(run);
    const pass = ranking.start('lower', 1);
    for (const run of runs) pass.add([run]);
    expect(pass.end()).toMatchObject({ best: [], isApart: true });
  });

  it('keeps the best of many, the first of equals', () => {
    const many = Array.from({ length: 200 }, (_, i) => [[true, 1, i % 7] as const, [true, 1, 0] as const]);
    expect(rank(many).best).toEqual([
      { point: 0, value: 0 },
      { point: 7, value: 0 },
    ]);
  });

  it('takes more for better where asked to, and gives no mean to a point that lacks a value', () => {
    const ranking = new PointRanking(1);
    const runs = [2, null, 5, 3].map(
      (value, point): RankedRun => ({
        point,
        session: 0,
        transcript: 's',
        isFinished: true,
        answered: 1,
        value,
      }),
    );
    for (const run of runs) ranking.see(run);
    const pass = ranking.start('higher', 2);
    for (const run of runs) pass.add([run]);
    expect(pass.end()).toEqual({
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

  it('ranks no point that was not run over every session, and none where nothing was finished', () => {
    const run = (point: number, session: number, isFinished: boolean): RankedRun => ({
      ...{ point, session, transcript: `s${session}`, isFinished },
      ...{ answered: isFinished ? 4 : null, value: isFinished ? 1 : null },
    });
    const ranking = new PointRanking(2);
    const points = [[run(0, 0, true)], [run(1, 0, true), run(1, 1, true)]];
    for (const own of points) for (const one of own) ranking.see(one);
    const pass = ranking.start('lower', 5);
    for (const own of points) pass.add(own);
    expect(pass.end()).toMatchObject({ best: [{ point: 1, value: 1 }], ranked: 1, points: 2, sessions: 2 });
    const none = new PointRanking(1);
    none.see(run(0, 0, false));
    const empty = none.start('lower', 5);
    empty.add([run(0, 0, false)]);
    expect(empty.end()).toMatchObject({ best: [], ranked: 0, points: 1, sessions: 0 });
  });
});
