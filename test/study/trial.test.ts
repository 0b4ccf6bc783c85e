import { describe, expect, it } from 'vitest';
import { parseExpectation } from '../../src/metrics/expect.js';
import { type Goal, judge } from '../../src/study/search.js';
import { type Runs, variantOf } from '../helpers/variant-runs.js';

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
