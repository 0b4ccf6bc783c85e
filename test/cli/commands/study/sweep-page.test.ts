import { describe, expect, it } from 'vitest';
import { sweepHtml } from '../../../../src/cli/commands/study/sweep-page.js';
import type { StudyPageData } from '../../../../src/report/page-data/study-page-data.js';
import { dataOf } from '../../../helpers/pages/page-data.js';
import { sweepAxis, sweepInput } from '../../../helpers/sweep-input.js';

const axis = sweepAxis;

/** The page of a sweep whose points have these runs. */
function sweepOf(...input: Parameters<typeof sweepInput>): StudyPageData {
  return dataOf<StudyPageData>(sweepHtml(sweepInput(...input)));
}

const GAP = axis('gap', ['20.0', '5.0', '10.0']);

describe('the page of a sweep', () => {
  it('draws a metric over one axis as a line in the order of its values, the best one marked', () => {
    const { charts, table, notes } = sweepOf(
      [GAP],
      { '20.0': { s: [4, 0, 3] }, '5.0': { s: [4, 0, 1] }, '10.0': { s: [4, 0, 2] } },
      { recorded: { costUsd: 2.5 } },
    );
    expect(charts).toHaveLength(1);
    expect(charts[0]).toMatchObject({
      title: 'costUsd over gap',
      x: { unit: null, scale: 'linear' },
      y: { unit: 'usd', scale: 'linear' },
      guide: { name: 'as recorded', y: 2.5 },
    });
    expect(charts[0]!.series.map(({ name, drawn, points }) => ({ name, drawn, points }))).toEqual([
      {
        name: 'costUsd',
        drawn: 'line',
        points: [
          { x: 5, y: 1, row: 1, mark: 'best' },
          { x: 10, y: 2, row: 2 },
          { x: 20, y: 3, row: 0 },
        ],
      },
    ]);
    expect(table.rows.map(({ command }) => command)).toEqual([
      'ccbench run --set gap=20.0',
      'ccbench run --set gap=5.0',
      'ccbench run --set gap=10.0',
    ]);
    expect(table.rows[0]!.cells[0]).not.toHaveProperty('interval');
    expect(notes).toEqual([]);
  });

  it('has intervals of means over two sessions and more, which end where no mean can lie', () => {
    const { charts, table, notes } = sweepOf([GAP], {
      '20.0': { s: [4, 0, 1, 0.5], l: [4, 0, 3, 1] },
      '5.0': { s: [4, 0, 4, 0.5], l: [4, 0, 4, 0.5] },
    });
    // mean 2, half a width of 12.706 × 1: no cost below zero
    const { low, high } = charts[0]!.series[0]!.points[1]!;
    expect([low, high]).toEqual([0, expect.closeTo(14.706, 3)]);
    expect(table.rows[0]!.cells.map(({ interval }) => interval)).toEqual([
      '$0 … $14.71',
      '0.0% … 100.0%',
      undefined,
    ]);
    expect(table.rows[1]!.cells[0]!.interval).toBe('$4.00 … $4.00');
    expect(notes[0]).toContain('95 % intervals of means over 2 sessions');
  });

  it('crosses out what lost calls, and never stars it', () => {
    const { charts } = sweepOf([GAP], {
      '20.0': { s: [4, 0, 3] },
      '5.0': { s: [3, 1, 1] },
      '10.0': { s: [4, 0, 2] },
    });
    expect(charts[0]!.series[0]!.points.map(({ row, mark }) => [row, mark])).toEqual([
      [1, 'unranked'],
      [2, undefined],
      [0, undefined],
    ]);
  });

  it('has a line for each of up to eight values of a second axis, dots over more or over names', () => {
    const runs = (values: readonly string[]) =>
      Object.fromEntries(
        ['5', '10'].flatMap((gap, i) =>
          values.map((value, at) => [`${gap},${value}`, { s: [4, 0, 1 + i + at] as const }]),
        ),
      );
    const eight = Array.from({ length: 8 }, (_, i) => `${i}`);
    const { charts } = sweepOf([axis('gap', ['5', '10']), axis('keep', eight)], runs(eight));
    expect(charts[0]!.series.map(({ name }) => name)).toEqual(eight.map((value) => `keep = ${value}`));
    expect(charts[0]!.series[2]).toMatchObject({
      drawn: 'line',
      points: [
        { x: 5, y: 3 },
        { x: 10, y: 4 },
      ],
    });
    const nine = [...eight, '8'];
    const [dots] = sweepOf([axis('gap', ['5', '10']), axis('keep', nine)], runs(nine)).charts;
    expect(dots!.series.map(({ name, drawn, points }) => [name, drawn, points.length])).toEqual([
      ['costUsd', 'dots', 18],
    ]);
    const named = sweepOf([axis('kind', ['b', 'a'])], { b: { s: [4, 0, 1] }, a: { s: [4, 0, 2] } })
      .charts[0]!;
    expect(named.x).toMatchObject({ names: ['b', 'a'], scale: 'linear' });
    expect(named.series[0]).toMatchObject({
      drawn: 'dots',
      points: [
        { x: 0, y: 1 },
        { x: 1, y: 2 },
      ],
    });
  });

  it('has a chart over each of three axes', () => {
    const axes = [axis('a', ['1', '2']), axis('b', ['3', '4']), axis('c', ['5', '6'])];
    const { charts } = sweepOf(axes, { '1,3,5': { s: [4, 0, 1] }, '2,4,6': { s: [4, 0, 2] } });
    expect(
      charts.map(({ title, series: [one] }) => [title, one!.drawn, one!.points.map(({ x }) => x)]),
    ).toEqual([
      ['costUsd over a', 'dots', [1, 2]],
      ['costUsd over b', 'dots', [3, 4]],
      ['costUsd over c', 'dots', [5, 6]],
    ]);
  });

  it('takes logarithms only of what has one', () => {
    const scaleOf = (values: readonly string[]): string | undefined =>
      sweepOf([axis('gap', values, 'log')], {
        [values[0]!]: { s: [4, 0, 1] },
        [values[1]!]: { s: [4, 0, 2] },
      }).charts[0]?.x.scale;
    expect(scaleOf(['1', '10'])).toBe('log');
    expect(scaleOf(['0', '10'])).toBe('linear');
  });

  it('sets cost against what the model still sees where both differ', () => {
    const titles = (first: readonly [number, number], second: readonly [number, number]) =>
      sweepOf([GAP], {
        '20.0': { s: [4, 0, ...first] },
        '5.0': { s: [4, 0, ...second] },
      }).charts.map(({ title, series: [one] }) => [
        title.slice(0, 13),
        one!.points.map(({ x, y }) => [x, y]),
      ]);
    expect(titles([3, 0.5], [2, 0.25])[1]).toEqual([
      'What it costs',
      [
        [3, 0.5],
        [2, 0.25],
      ],
    ]);
    expect(titles([3, 0.5], [2, 0.5])).toHaveLength(1);
    expect(titles([3, 0.5], [3, 0.25])).toHaveLength(0);
  });

  it('says in words what is the same everywhere, and that not every row has a command', () => {
    const { notes, charts } = sweepOf([GAP], { '20.0': { s: [4, 0, 3] }, '5.0': { s: [4, 0, 3] } });
    expect(notes).toEqual(['The same everywhere: costUsd $3.00.']);
    expect(charts).toEqual([]);
    const many = Array.from({ length: 301 }, (_, i) => `${i}`);
    const long = sweepOf(
      [axis('gap', many)],
      Object.fromEntries(many.map((value, i) => [value, { s: [4, 0, i] as const }])),
    );
    expect(long.notes).toEqual(['The first 300 rows have the command of their run.']);
    expect(long.table.rows.filter(({ command }) => command !== undefined)).toHaveLength(300);
  });
});
