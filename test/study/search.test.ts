import { describe, expect, it } from 'vitest';
import { createRandom } from '../../src/core/base/random.js';
import { parseExpectation } from '../../src/metrics/expect.js';
import {
  drawCandidates,
  type Goal,
  judge,
  rank,
  rungsOf,
  rungWork,
  survivors,
  type Trial,
} from '../../src/study/search.js';
import { parseVary } from '../../src/study/vary.js';
import { type Runs, variantOf } from '../helpers/variant-runs.js';

const axes = ['a=0..1000', 'b=x,y,z'].map((text) => parseVary(text, () => 1, 'allowed'));

function trial(index: number, objective: number | null, feasible = true, callsLost = 0): Trial {
  return { candidate: { index, values: [String(index)] }, share: 1, objective, feasible, callsLost };
}

describe('search', () => {
  it('draws the same settings for the same seed, others for another', () => {
    const draw = (seed: number) => drawCandidates(axes, 20, createRandom(seed)).map(({ values }) => values);
    expect(draw(1)).toEqual(draw(1));
    expect(draw(2)).not.toEqual(draw(1));
  });

  it('covers each axis evenly: one draw in each part', () => {
    const drawn = drawCandidates(axes, 50, createRandom(3));
    const tenths = drawn.map(({ values }) => Math.min(9, Math.floor(Number(values[0]) / 100)));
    for (let part = 0; part < 10; part++) {
      const inside = tenths.filter((tenth) => tenth === part).length;
      expect(inside).toBeGreaterThanOrEqual(4);
      expect(inside).toBeLessThanOrEqual(6);
    }
    for (const letter of ['x', 'y', 'z']) {
      const share = drawn.filter(({ values }) => values[1] === letter).length;
      expect(share).toBeGreaterThanOrEqual(16);
    }
  });

  it('draws no setting twice', () => {
    const few = [parseVary('a=1,2,3', () => 1, 'allowed')];
    const drawn = drawCandidates(few, 30, createRandom(1)).map(({ values }) => values[0]);
    expect([...drawn].sort()).toEqual(['1', '2', '3']);
  });

  it('ranks what holds its constraints first, and a failed run last', () => {
    const order = rank([trial(0, null), trial(1, 5), trial(2, 1, false), trial(3, 3), trial(4, 3)]);
    expect(order.map(({ candidate }) => candidate.index)).toEqual([3, 4, 1, 0, 2]);
  });

  it('ranks what lost calls behind what answered them, however cheap it is', () => {
    const order = rank([
      trial(0, 1, false, 7),
      trial(1, null, false, Number.POSITIVE_INFINITY),
      trial(2, 9, false),
      trial(3, 5),
    ]);
    expect(order.map(({ candidate }) => candidate.index)).toEqual([3, 2, 0, 1]);
  });

  it('looks at little work first and lets the best third go on', () => {
    expect(rungsOf('random', 100)).toEqual([1]);
    expect(rungsOf('halving', 5)).toEqual([1]);
    expect(rungsOf('halving', 18).at(-1)).toBe(1);
    expect(rungsOf('halving', 18)[0]).toBeCloseTo(1 / 9, 9);
    // a third goes on while two thirds of six and more do not; four rungs at most
    expect([5, 6, 17, 18, 53, 54, 1_000].map((count) => rungsOf('halving', count).length)).toEqual([
      1, 2, 2, 3, 3, 4, 4,
    ]);
    expect(
      [1, 3, 4].map((count) => survivors(Array.from({ length: count }, (_, i) => trial(i, i))).length),
    ).toEqual([1, 1, 2]);
    expect(
      survivors([3, 1, 2, 5, 4, 6].map((value, i) => trial(i, value))).map(({ index }) => index),
    ).toEqual([1, 2]);
  });

  it('takes fewer transcripts before it cuts one', () => {
    expect(rungWork(9, 1 / 3)).toEqual({ transcripts: 3, share: 1 });
    expect(rungWork(1, 1 / 3)).toEqual({ transcripts: 1, share: 1 / 3 });
    expect(rungWork(2, 1 / 4)).toEqual({ transcripts: 1, share: 0.5 });
    expect(rungWork(4, 1)).toEqual({ transcripts: 4, share: 1 });
    expect(rungWork(4, 1 / 4)).toEqual({ transcripts: 1, share: 1 });
  });
});

const GOAL: Goal = { metric: 'costUsd', sign: 1, constraints: [] };

/** What settings with these runs, [calls answered, calls lost, cost] by session, come to. */
function trials(rows: readonly Runs[], goal: Partial<Goal> = {}) {
  const settings = rows.map((runs, index) => ({
    ...variantOf(`v${index}`, runs),
    candidate: { index, values: [] },
  }));
  return judge(settings, { ...GOAL, ...goal }, 0.5).tried.map(({ trial }) => trial);
}

describe('a rung of a search', () => {
  it('has for each setting the mean of the goal, turned round where more is wanted', () => {
    const rows = [
      { s: [4, 0, 1], l: [4, 0, 3] },
      { s: [4, 0, 5], l: [4, 0, 5] },
    ] as const;
    expect(trials(rows)).toMatchObject([
      { candidate: { index: 0 }, share: 0.5, objective: 2, feasible: true, callsLost: 0 },
      { candidate: { index: 1 }, objective: 5 },
    ]);
    expect(trials(rows, { sign: -1 }).map(({ objective }) => objective)).toEqual([-2, -5]);
  });

  it('adds up the calls that a setting lost; a run that failed lost more than any', () => {
    expect(
      trials([
        { s: [4, 0, 1], l: [9, 0, 1] },
        { s: [3, 1, 1], l: [7, 2, 1] },
        { s: [4, 0, 1], l: null },
      ]).map(({ callsLost, objective, feasible }) => [callsLost, objective, feasible]),
    ).toEqual([
      [0, 1, true],
      [3, null, false],
      [Number.POSITIVE_INFINITY, null, false],
    ]);
  });

  it('asks constraints of every run, not of the mean', () => {
    const constraints = [parseExpectation('costUsd <= 3', null)];
    const rows = [
      { s: [4, 0, 1], l: [4, 0, 4] },
      { s: [4, 0, 3], l: [4, 0, 3] },
    ] as const;
    expect(trials(rows, { constraints }).map(({ feasible }) => feasible)).toEqual([false, true]);
  });
});
