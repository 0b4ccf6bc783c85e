import { describe, expect, it } from 'vitest';
import { benchPage } from '../../../../src/cli/commands/bench/bench-page.js';
import type { BenchResult, PathResult } from '../../../../src/cli/commands/bench/result.js';
import type { StudyPageData } from '../../../../src/report/page-data/page-data.js';

const path = (name: string, size: number, p50Ms: number): PathResult => ({
  name,
  size,
  p50Ms,
  p99Ms: 2 * p50Ms,
  opsPerSec: p50Ms === 0 ? 0 : 1_000 / p50Ms,
});
const growth = (name: string, exponent: number, promised: number | null) => ({
  name,
  exponent,
  wholeWindow: promised === null,
  promised,
  input: `${name} of it`,
});
const NOTHING: BenchResult = { results: [], growth: [], ratios: [], notes: [] };
const pageOf = (change: Partial<BenchResult>): StudyPageData => benchPage({ ...NOTHING, ...change }).data;

describe('the page of a benchmark', () => {
  it('draws each path over the size of the context, the slowest first', () => {
    const results = [path('quick', 10, 1), path('slow', 10, 2), path('slow', 100, 20), path('quick', 100, 8)];
    const { charts } = pageOf({ results });
    expect(charts).toHaveLength(1);
    expect(charts[0]).toMatchObject({ x: { scale: 'log' }, y: { scale: 'log', unit: 'ms' } });
    expect(charts[0]!.series.map(({ name, points }) => ({ name, points }))).toEqual([
      {
        name: 'slow',
        points: [
          { x: 10, y: 2, row: 1 },
          { x: 100, y: 20, row: 2 },
        ],
      },
      {
        name: 'quick',
        points: [
          { x: 10, y: 1, row: 0 },
          { x: 100, y: 8, row: 3 },
        ],
      },
    ]);
  });

  it('draws nothing of what has no place on a scale of powers: no size, or no time', () => {
    const results = [path('a', 0, 5), path('a', 10, 0), path('a', 10, 3), path('b', 0, 1), path('c', 10, 0)];
    expect(pageOf({ results }).charts[0]!.series.map(({ name, points }) => ({ name, points }))).toEqual([
      { name: 'a', points: [{ x: 10, y: 3, row: 2 }] },
    ]);
    expect(pageOf({ results: results.slice(3) }).charts).toEqual([]);
  });

  it('gives six paths a colour of their own and the faster ones one together', () => {
    const results = Array.from({ length: 8 }, (_, i) => path(`p${i}`, 10, 8 - i));
    const { series } = pageOf({ results }).charts[0]!;
    expect(series.map(({ name }) => name)).toEqual([
      ...['p0', 'p1', 'p2', 'p3', 'p4', 'p5'],
      ...['faster ones', 'faster ones'],
    ]);
    expect(new Set(series.map(({ color }) => color)).size).toBe(7);
    expect(series[6]!.color).toBe(series[7]!.color);
  });

  it('has a row for each time, with the growth of its path marked where it is faster than promised', () => {
    const { table } = pageOf({
      results: [
        path('kept', 1_000, 0.123_44),
        path('missed', 2_000, 4),
        path('window', 10, 1),
        path('alone', 10, 1),
      ],
      growth: [growth('kept', 1.1, 1.126), growth('missed', 1.25, 1.1), growth('window', 2, null)],
      notes: ['a note'],
    });
    expect(table!.rows.map(({ name, cells }) => [name, ...cells.map(({ text }) => text)])).toEqual([
      ['kept at 1,000', '1,000', '0.1234', '0.2469', '8,101', '1.10', '1.13'],
      ['missed at 2,000', '2,000', '4', '8', '250', '1.25', '1.1'],
      ['window at 10', '10', '1', '2', '1,000', '2.00', '–'],
      ['alone at 10', '10', '1', '2', '1,000', '–', '–'],
    ]);
    expect(table!.rows.map(({ cells }) => cells[4]!.mark ?? null)).toEqual([null, 'worse', null, null]);
    expect(table!.rows[1]!.cells.map(({ value }) => value)).toEqual([2_000, 4, 8, 250, 1.25, 1.1]);
    expect(table!.notes[0]).toBe('a note');
  });

  it('has one number of each suite beside its promise on cards: the fastest growth of paths, ratios, other growth', () => {
    const { cards } = pageOf({
      results: [path('timed', 10, 1), path('slower', 10, 1), path('window', 10, 1)],
      growth: [
        growth('timed', 3, 1.1),
        growth('slower', 1, 1.1),
        growth('window', 4, null),
        growth('kept', 0.5, 1.104),
        growth('missed', 2, 1.1),
        growth('free', 2, null),
      ],
      ratios: [
        { name: 'promised', ratio: 2.345_6, promised: 1.999_6, detail: 'five to two' },
        { name: 'short', ratio: 1, promised: 1.5, detail: 'one to one' },
        { name: 'stated', ratio: 7.000_4, promised: null, detail: 'seven to one' },
      ],
    });
    expect(cards).toEqual([
      {
        label: 'growth of hot paths',
        value: '3.00',
        note: 'at most 1.1 promised; timed grows fastest',
        tone: 'bad',
      },
      { label: 'promised', value: '2.346', note: 'at least 2 promised; five to two', tone: 'plain' },
      { label: 'short', value: '1', note: 'at least 1.5 promised; one to one', tone: 'bad' },
      { label: 'stated', value: '7', note: 'seven to one', tone: 'plain' },
      { label: 'growth of kept', value: '0.50', note: 'at most 1.1 promised; kept of it', tone: 'plain' },
      { label: 'growth of missed', value: '2.00', note: 'at most 1.1 promised; missed of it', tone: 'bad' },
      { label: 'growth of free', value: '2.00', note: 'free of it', tone: 'plain' },
    ]);
  });

  it('says first what grows faster than promised', () => {
    const lead = (...own: BenchResult['growth']) => pageOf({ growth: own }).lead;
    expect(lead(growth('a', 1.1, 1.1), growth('b', 3, null))).toBe('Nothing grows faster than promised.');
    expect(lead(growth('a', 1.2, 1.1), growth('b', 1, 1.1), growth('c', 2, 1.1))).toBe(
      'Growing faster than promised in this run: a, c.',
    );
  });
});
