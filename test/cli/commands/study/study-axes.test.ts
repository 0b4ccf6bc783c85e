import { expect, it } from 'vitest';
import { costCharts, frontOf, lineMark } from '../../../../src/cli/commands/study/study-axes.js';
import type { UnfinishedRun, VariantCompleteness } from '../../../../src/study/completeness.js';
import type { Point } from '../../../../src/study/point.js';

type Values = Readonly<Record<string, number | null>>;
const standing = (own: VariantCompleteness['standing'], unfinished = 0): VariantCompleteness => ({
  ...{ name: 'v', standing: own, run: 1, finished: 1, compared: 1 },
  unfinished: Array.from({ length: unfinished }, () => ({}) as UnfinishedRun),
});
const row = (label: string, metrics: Values, own: VariantCompleteness['standing'] = 'ranked') => ({
  ...{ label, metrics },
  completeness: standing(own),
});
const namesOf = async (...rows: Parameters<typeof costCharts>[0]) =>
  (await costCharts(rows, 'of a study')).map(({ name }) => name);

it('cost is drawn against what is kept and what is missed, where rows differ in both and some are ranked', async () => {
  const [a, b] = [
    row('a', { costUsd: 1, contentRetention: 0.5, faultsNone: 3 }),
    row('b', { costUsd: 2, contentRetention: 0.9, faultsNone: 1 }),
  ];
  expect(await namesOf(a, b)).toEqual(['cost-against-kept', 'cost-against-faults']);
  expect(await namesOf(a)).toEqual([]);
  expect(await namesOf(a, row('b', { costUsd: 1, contentRetention: 0.9, faultsNone: 1 }))).toEqual([]);
  expect(await namesOf(a, row('b', { costUsd: 2, contentRetention: 0.5, faultsNone: 1 }))).toEqual([
    'cost-against-faults',
  ]);
  // What lacks one of the two values is no point.
  expect(await namesOf(a, row('b', { costUsd: 2, contentRetention: null, faultsNone: 1 }))).toEqual([
    'cost-against-faults',
  ]);
  expect(await namesOf(a, row('b', { costUsd: null, contentRetention: 0.9, faultsNone: 1 }))).toEqual([]);
  const unranked = [a, b].map(({ label, metrics }) => row(label, metrics, 'unranked'));
  expect(await namesOf(...unranked)).toEqual([]);
  expect(await namesOf(a, unranked[1]!)).toHaveLength(2);
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
