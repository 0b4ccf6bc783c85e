import { expect, it } from 'vitest';
import { frontOf, lineMark, tradeoffCharts } from '../../../../src/cli/commands/study/study-axes.js';
import type { UnfinishedRun, VariantCompleteness } from '../../../../src/study/completeness.js';
import type { Point } from '../../../../src/study/point.js';

type Values = Readonly<Record<string, number | null>>;
const standing = (own: VariantCompleteness['standing'], unfinished = 0): VariantCompleteness => ({
  ...{ name: 'v', standing: own, run: 1, finished: 1, compared: 1 },
  unfinished: Array.from({ length: unfinished }, () => ({}) as UnfinishedRun),
});
const row = (label: string, metrics: Values, own: VariantCompleteness['standing'] = 'ranked') => ({
  ...{ label, metrics, row: 0 },
  completeness: standing(own),
});
const namesOf = (...rows: Parameters<typeof tradeoffCharts>[0]) =>
  tradeoffCharts(rows, 'costUsd').map(({ name }) => name);

it('cost is drawn against what is kept and what is missed, where rows differ in both and some are ranked', () => {
  const [a, b] = [
    row('a', { costUsd: 1, contentRetention: 0.5, faultsNone: 3 }),
    row('b', { costUsd: 2, contentRetention: 0.9, faultsNone: 1 }),
  ];
  expect(namesOf(a, b)).toEqual(['cost-against-kept', 'cost-against-faults']);
  expect(namesOf(a)).toEqual([]);
  expect(namesOf(a, row('b', { costUsd: 1, contentRetention: 0.9, faultsNone: 1 }))).toEqual([]);
  expect(namesOf(a, row('b', { costUsd: 2, contentRetention: 0.5, faultsNone: 1 }))).toEqual([
    'cost-against-faults',
  ]);
  // What lacks one of the two values is no point.
  expect(namesOf(a, row('b', { costUsd: 2, contentRetention: null, faultsNone: 1 }))).toEqual([
    'cost-against-faults',
  ]);
  expect(namesOf(a, row('b', { costUsd: null, contentRetention: 0.9, faultsNone: 1 }))).toEqual([]);
  const unranked = [a, b].map(({ label, metrics }) => row(label, metrics, 'unranked'));
  expect(namesOf(...unranked)).toEqual([]);
  expect(namesOf(a, unranked[1]!)).toHaveLength(2);
});

it('bars of faults reach down to the least of any choice, and the front has labels', () => {
  const rows = [
    row('a', { costUsd: 1, faultsNone: 7, faultsLeast: 2 }),
    row('b', { costUsd: 2, faultsNone: 6, faultsLeast: 2 }),
    row('worse', { costUsd: 3, faultsNone: 8, faultsLeast: 3 }),
    row('died', { costUsd: 0.5, faultsNone: 1 }, 'unranked'),
  ];
  const [chart] = tradeoffCharts(rows, 'costUsd', ', with gap');
  expect(chart!.series.map(({ name, points }) => [name, points])).toEqual([
    [
      'beaten by another',
      [
        { x: 3, y: 8, row: 0, low: 3, high: 8 },
        { x: 0.5, y: 1, row: 0, mark: 'unranked' },
      ],
    ],
    [
      'beaten by none in both, with gap',
      [
        { x: 1, y: 7, row: 0, low: 2, high: 7, label: 'a' },
        { x: 2, y: 6, row: 0, low: 2, high: 6, label: 'b' },
      ],
    ],
  ]);
  expect(tradeoffCharts(rows, 'faultsNone')).toEqual([]);
});

it('the front holds what none beats in both, of those that have both values', () => {
  const item = (name: string, costUsd: number | null, contentRetention: number | null) => ({
    point: { set: [name] } as unknown as Point,
    metrics: { costUsd, contentRetention },
  });
  const items = [
    item('cheap', 1, 0.2),
    item('beaten', 3, 0.1),
    item('whole', 2, 0.9),
    item('half', 1, null),
    item('free', null, 1),
  ];
  const names = (better: 'lower' | 'higher') =>
    frontOf(items, 'costUsd', better).map(({ point }) => point.set[0]);
  expect(names('lower')).toEqual(['cheap', 'whole']);
  expect(names('higher')).toEqual(['whole', 'beaten']);
});

it('a point beside a line is marked where it left something unfinished and is not ranked', () => {
  expect(lineMark(standing('unranked', 1))).toEqual({ mark: 'unranked' });
  expect(lineMark(standing('ranked', 1))).toEqual({});
  expect(lineMark(standing('apart'))).toEqual({});
});
