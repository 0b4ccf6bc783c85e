import { describe, expect, it } from 'vitest';
import { Grouping, parseCondition } from '../../../../src/cli/commands/columns/questions.js';
import type { CellValue, ResultColumn } from '../../../../src/study/result-rows.js';

const COLUMNS = [
  { name: 'cost', kind: 'number' },
  { name: 'cache.ttl', kind: 'text' },
] as unknown as readonly ResultColumn[];
const met = (text: string, values: readonly CellValue[]): readonly boolean[] =>
  values.map((value) => parseCondition(text, COLUMNS).isMet(value));

describe('a condition', () => {
  it.each([
    ['cost < 2', [true, false, false]],
    ['cost <= 2', [true, true, false]],
    ['cost > 2', [false, false, true]],
    ['cost>=2', [false, true, true]],
    ['cost = 2', [false, true, false]],
    ['cost == 2', [false, true, false]],
    ['"cost" != 2', [true, false, true]],
  ] as const)('%s', (text, expected) => {
    expect(met(text, [1, 2, 3])).toEqual(expected);
    expect(met(text, [null])).toEqual([false]);
  });

  it('compares text as text, with or without quotation marks', () => {
    expect(met("cache.ttl = '5m'", ['5m', '1h'])).toEqual([true, false]);
    expect(met('cache.ttl != 5m', ['5m', '1h', null])).toEqual([false, true, false]);
  });

  it('finds what is missing', () => {
    expect(met('cost = null', [1, null])).toEqual([false, true]);
    expect(met('cost == null', [1, null])).toEqual([false, true]);
    expect(met('cost != null', [1, null])).toEqual([true, false]);
  });

  it('is refused where it makes no sense', () => {
    expect(() => parseCondition('cost', COLUMNS)).toThrow('"cost" is not a condition');
    expect(() => parseCondition('cots < 2', COLUMNS)).toThrow('no column "cots"');
    expect(() => parseCondition('cost < x', COLUMNS)).toThrow('cost is a number, and "x" is not');
    expect(() => parseCondition('cost < null', COLUMNS)).toThrow('cost is a number');
    expect(parseCondition('cost < 2', COLUMNS).column).toBe('cost');
  });
});

describe('groups', () => {
  it('have means over the rows with a value, in the order of their values, missing ones first', () => {
    const grouping = new Grouping(['ttl', 'gap'], ['cost', 'hits']);
    grouping.add(['5m', 10], [4, null], true);
    grouping.add(['5m', 9], [1, 1], true);
    grouping.add(['1h', null], [2, 'x'], true);
    grouping.add(['5m', 10], [8, 3], true);
    grouping.add(['1h', 9], [7, null], true);
    grouping.add([null, 9], [7, null], true);
    expect(grouping.list().map(({ group, rows, means }) => [group.ttl, group.gap, rows, means])).toEqual([
      [null, 9, 1, { cost: 7, hits: null }],
      ['1h', null, 1, { cost: 2, hits: null }],
      ['1h', 9, 1, { cost: 7, hits: null }],
      ['5m', 9, 1, { cost: 1, hits: 1 }],
      ['5m', 10, 2, { cost: 6, hits: 3 }],
    ]);
  });

  it('count the rows of runs that did not finish', () => {
    const grouping = new Grouping(['ttl'], ['cost']);
    grouping.add(['5m'], [4], true);
    grouping.add(['5m'], [2], false);
    grouping.add(['1h'], [3], true);
    expect(grouping.list()).toEqual([
      { group: { ttl: '1h' }, rows: 1, unfinished: 0, means: { cost: 3 } },
      { group: { ttl: '5m' }, rows: 2, unfinished: 1, means: { cost: 3 } },
    ]);
  });
});
