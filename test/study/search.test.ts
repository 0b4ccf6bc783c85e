import { describe, expect, it } from 'vitest';
import { parseExpectation } from '../../src/metrics/expect.js';
import {
  chosenOf,
  type Goal,
  judge,
  planSearch,
  rank,
  rungsOf,
  type SearchPlan,
  survivors,
  type Trial,
} from '../../src/study/search.js';
import { type Axis, parseVary } from '../../src/study/vary.js';
import { type Runs, variantOf } from '../helpers/variant-runs.js';

const axes = ['a=0..1000', 'b=x,y,z'].map((text) => parseVary(text, () => 1, 'allowed'));

function trial(index: number, objective: number | null, feasible = true, callsLost = 0): Trial {
  return {
    candidate: { index, values: [String(index)] },
    objective,
    feasible,
    callsLost,
    isNearBest: false,
  };
}

const draw = (own: readonly Axis[], budget: number, seed: number) =>
  planSearch(own, { method: 'random', budget, seed }).candidates;

/** A plan with so many settings. */
const planOf = (method: SearchPlan['method'], count: number): SearchPlan => ({
  method,
  possible: count,
  candidates: Array.from({ length: count }, (_, index) => ({ index, values: [] })),
});

describe('search', () => {
  it('tries every setting where the budget allows it, in the order of a grid', () => {
    const vary = (texts: readonly string[]) => texts.map((text) => parseVary(text, () => 1, 'allowed'));
    const plan = (texts: readonly string[], budget = 200) =>
      planSearch(vary(texts), { method: 'auto', budget, seed: 1 });
    const percents = plan(['p=20..95']);
    expect(percents).toMatchObject({ method: 'grid', possible: 76 });
    expect(percents.candidates.map(({ values }) => values[0])).toEqual(
      Array.from({ length: 76 }, (_, i) => String(20 + i)),
    );
    const both = plan(['p=1..2', 'b=x,y']);
    expect(both.candidates.map(({ values }) => values.join(''))).toEqual(['1x', '1y', '2x', '2y']);
    expect(plan(['p=20..95'], 75)).toMatchObject({ method: 'halving', possible: 76 });
    expect(plan(['p=0.5..0.7'])).toMatchObject({ method: 'halving', possible: Number.POSITIVE_INFINITY });
    expect(plan(['p=0.5..0.7:9'])).toMatchObject({ method: 'grid', possible: 9 });
  });

  it('draws the same settings for the same seed, others for another', () => {
    const drawn = (seed: number) => draw(axes, 20, seed).map(({ values }) => values);
    expect(drawn(1)).toEqual(drawn(1));
    expect(drawn(2)).not.toEqual(drawn(1));
  });

  it('covers each axis evenly: one draw in each part', () => {
    const drawn = draw(axes, 50, 3);
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
    const drawn = draw(few, 30, 1).map(({ values }) => values[0]);
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

  it('discards on three sessions or more, and looks at all in the end', () => {
    const rungs = (
      count: number,
      sessions: number,
      early = sessions,
      method: SearchPlan['method'] = 'halving',
    ) => rungsOf(planOf(method, count), sessions, early);
    expect(rungs(100, 30, 30, 'random')).toEqual([30]);
    expect(rungs(100, 30, 30, 'grid')).toEqual([30]);
    expect(rungs(5, 30)).toEqual([30]);
    expect(rungs(6, 30)).toEqual([10, 30]);
    expect(rungs(18, 30)).toEqual([3, 10, 30]);
    expect(rungs(1_000, 270)).toEqual([3, 10, 30, 90, 270]);
    // half of 14 are held out; one session is never cut
    expect(rungs(200, 14, 7)).toEqual([3, 5, 14]);
    expect(rungs(200, 4, 2)).toEqual([2, 4]);
    expect([1, 2, 3].map((sessions) => rungs(200, sessions))).toEqual([[1], [2], [3]]);
    expect(rungs(200, 9, 0)).toEqual([9]);
  });

  it('lets the best third go on, and up to half what is within the noise of the best', () => {
    const count = (trials: readonly Trial[]) => survivors(trials).length;
    const plain = (settings: number) => Array.from({ length: settings }, (_, i) => trial(i, i));
    expect([1, 3, 4].map((settings) => count(plain(settings)))).toEqual([1, 1, 2]);
    expect(
      survivors([3, 1, 2, 5, 4, 6].map((value, i) => trial(i, value))).map(({ index }) => index),
    ).toEqual([1, 2]);
    const near = plain(12).map((each) => ({ ...each, isNearBest: true }));
    expect(count(near)).toBe(6);
  });
});

const GOAL: Goal = { metric: 'costUsd', sign: 1, constraints: [] };

/** What settings with these runs, [calls answered, calls lost, cost] by session, come to. */
function trials(rows: readonly Runs[], goal: Partial<Goal> = {}) {
  const settings = rows.map((runs, index) => ({
    ...variantOf(`v${index}`, runs),
    candidate: { index, values: [] },
  }));
  return judge(settings, { ...GOAL, ...goal }).tried.map(({ trial }) => trial);
}

describe('a rung of a search', () => {
  it('has for each setting the mean of the goal, turned round where more is wanted', () => {
    const rows = [
      { s: [4, 0, 1], l: [4, 0, 3] },
      { s: [4, 0, 5], l: [4, 0, 5] },
    ] as const;
    expect(trials(rows)).toMatchObject([
      { candidate: { index: 0 }, objective: 2, feasible: true, callsLost: 0 },
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

  it('pairs each setting with the best: a steady difference is no noise, however small', () => {
    const rows = [
      { s: [4, 0, 1], l: [4, 0, 30], m: [4, 0, 12] },
      { s: [4, 0, 1.1], l: [4, 0, 30.11], m: [4, 0, 12.1] },
      { s: [4, 0, 0.5], l: [4, 0, 33], m: [4, 0, 12] },
    ] as const;
    expect(trials(rows).map(({ isNearBest }) => isNearBest)).toEqual([true, false, true]);
  });

  it('chooses the best that holds its constraints, the first of equals', () => {
    const rows = [2, 1, 1, 0].map((cost) => ({ s: [4, 0, cost] }) as const);
    const settings = rows.map((runs, index) => ({
      ...variantOf(`v${index}`, runs),
      candidate: { index, values: [] },
    }));
    const constraints = [parseExpectation('costUsd >= 1', null)];
    const chosen = (goal: Goal) => chosenOf(judge(settings, goal).tried, goal)?.trial.candidate.index;
    expect(chosen({ ...GOAL, constraints })).toBe(1);
    expect(chosen({ ...GOAL, sign: -1 })).toBe(0);
  });
});
