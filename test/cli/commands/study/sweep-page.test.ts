import { describe, expect, it } from 'vitest';
import { sweepPage } from '../../../../src/cli/commands/study/sweep-page.js';
import type { StudyPageData } from '../../../../src/report/page-data/page-data.js';
import { sweepAxis, sweepInput } from '../../../helpers/sweep-input.js';
import { type Runs, variantOf } from '../../../helpers/variant-runs.js';

const axis = sweepAxis;

/** The page of a sweep whose points have these runs. */
function sweepOf(...input: Parameters<typeof sweepInput>): StudyPageData {
  return sweepPage(sweepInput(...input)).data;
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
      title: 'cost over gap',
      x: { unit: null, scale: 'linear' },
      y: { unit: 'usd', scale: 'linear' },
      guide: [{ name: 'as recorded', y: 2.5 }],
    });
    expect(charts[0]!.series.map(({ name, drawn, points }) => ({ name, drawn, points }))).toEqual([
      {
        name: 'cost',
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

  it('pairs each point with the unchanged scenario, session by session', () => {
    const runs: Runs = { s: [4, 0, 2, 0.5], l: [4, 0, 10, 0.5] };
    const { charts, table, notes, cards } = sweepOf(
      [GAP],
      {
        '20.0': { s: [4, 0, 1, 0.5], l: [4, 0, 9, 0.5] },
        '5.0': { s: [4, 0, 1, 1], l: [4, 0, 11, 0.5] },
      },
      { asItIs: variantOf('unchanged', runs) },
    );
    // Differences −1 and −1: no doubt, whatever the sessions cost. −1 and +1: mean 0, half a width of 12.706 × 1.
    const [noise, sure] = charts[0]!.series[0]!.points;
    expect([sure!.low, sure!.high]).toEqual([5, 5]);
    expect([noise!.low, noise!.high]).toEqual([0, expect.closeTo(18.706, 3)]);
    expect(charts[0]!.guide).toEqual([{ name: 'unchanged', y: 6 }]);
    const said = table.rows.map(({ cells }) => cells.map(({ note, interval }) => [note, interval]));
    expect(said).toEqual([
      [
        ['−16.7 %', '−$1.00 … −$1.00'],
        ['=', undefined],
        [undefined, undefined],
      ],
      [
        ['within noise', '−$12.71 … +$12.71'],
        ['within noise', expect.any(String)],
        [undefined, undefined],
      ],
    ]);
    expect(notes[1]).toContain('95 % intervals of these differences over 2 sessions');
    expect(cards.map(({ label, value }) => [label, value])).toEqual([
      ['Best cost', '$6.00'],
      ['Unchanged', '$6.00'],
      ['Best against unchanged', '+$0'],
      ['Points tried', '2'],
    ]);
  });

  it('has no differences where the unchanged scenario did not finish, and says so', () => {
    const { charts, table, notes } = sweepOf(
      [GAP],
      { '20.0': { s: [4, 0, 1] }, '5.0': { s: [4, 0, 2] } },
      { asItIs: variantOf('unchanged', { s: [3, 1, 1] }) },
    );
    expect(charts[0]!.guide).toBeUndefined();
    expect(table.rows[0]!.cells[0]).toEqual({ text: 't' });
    expect(notes).toEqual([expect.stringContaining('did not finish')]);
  });

  it('shows what a search discarded in grey, where its difference puts it', () => {
    const all = sweepInput(
      [GAP],
      { '20.0': { s: [4, 0, 1], l: [4, 0, 9] }, '5.0': { s: [4, 0, 2], l: [4, 0, 6] } },
      { asItIs: variantOf('unchanged', { s: [4, 0, 4], l: [4, 0, 16] }) },
    );
    const [dropped] = sweepInput([GAP], { '10.0': { l: [4, 0, 8] } }).swept;
    const { charts, table, cards } = sweepPage({
      ...all,
      discarded: [{ ...dropped!, sessions: ['l'] }],
    }).data;
    const [grey] = charts[0]!.series;
    // Half of what the scenario costs on that session, which costs 10 on average.
    expect(grey).toMatchObject({ name: 'discarded', points: [{ x: 10, y: 5, row: 2, mark: 'discarded' }] });
    expect(table.rows[2]).toMatchObject({
      name: 'gap=10.0',
      note: 'discarded after 1 session',
      isDiscarded: true,
      cells: [{ text: '$8.00', note: '−50 %' }, {}, { text: '' }],
    });
    expect(cards.at(-1)).toMatchObject({ value: '3', note: '1 discarded early, 2 sessions' });
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
      ['cost', 'dots', 18],
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
      ['cost over a', 'dots', [1, 2]],
      ['cost over b', 'dots', [3, 4]],
      ['cost over c', 'dots', [5, 6]],
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

  it('sets cost against what the model still sees where both differ, with labels on the front', () => {
    const chartOf = (first: readonly [number, number], second: readonly [number, number]) => {
      const input = sweepInput([GAP], { '20.0': { s: [4, 0, ...first] }, '5.0': { s: [4, 0, ...second] } });
      const page = sweepPage(input).data;
      return page.charts.find(({ title }) => title.startsWith('What it costs'));
    };
    expect(chartOf([3, 0.5], [2, 0.75])!.series.map(({ name, points }) => [name, points])).toEqual([
      ['beaten by another', [{ x: 3, y: 0.5, row: 0 }]],
      ['beaten by none in both, with gap', [{ x: 2, y: 0.75, row: 1, label: '5.0' }]],
    ]);
    expect(chartOf([3, 0.5], [2, 0.5])).toBeUndefined();
    expect(chartOf([3, 0.5], [3, 0.25])).toBeUndefined();
  });

  it('draws nothing that is the same everywhere, and says that not every row has a command', () => {
    const { notes, charts } = sweepOf([GAP], { '20.0': { s: [4, 0, 3] }, '5.0': { s: [4, 0, 3] } });
    expect(notes).toEqual([]);
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
