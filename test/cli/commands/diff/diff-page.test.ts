import { describe, expect, it } from 'vitest';
import { diffLanes } from '../../../../src/analysis/diff/diff-lanes.js';
import type { Lane, LaneRequest } from '../../../../src/analysis/diff/lane.js';
import { diffPage } from '../../../../src/cli/commands/diff/diff-page.js';

const request = (turn: number, change: Partial<LaneRequest> = {}): LaneRequest => ({
  thread: 'main',
  turn,
  purpose: 'main',
  n: turn,
  t: 0,
  model: 'm',
  prompt: 100 * turn,
  read: 50,
  written: 0,
  input: 0,
  output: 0,
  costNano: 1_000_000_000,
  prices: { input: 3, output: 15, cacheRead: 0.3, cacheWrite5m: 3.75, cacheWrite1h: 6 },
  seen: null,
  limit: null,
  cause: null,
  acts: [],
  ...change,
});
const lane = (title: string, requests: readonly LaneRequest[]): Lane => ({
  title,
  source: 'run',
  session: null,
  plan: null,
  requests,
});

const A = lane('first', [request(1), request(2), request(3)]);
const B = lane('second', [request(1), request(2, { read: 10, costNano: 3_000_000_000 })]);

describe('the page of a difference', () => {
  const page = (a: Lane, b: Lane, tolerance = 0) =>
    diffPage(diffLanes(a, b, tolerance), { tolerance, notes: ['a note'] }).data;
  const { charts, table, cards } = page(A, B);

  it('draws both lanes over aligned requests, and points lead to their differences', () => {
    expect(charts.map(({ title }) => title)).toEqual([
      'Prompt of each request',
      'Read from the cache',
      'Paid so far',
    ]);
    const points = (chart: number) =>
      charts[chart]!.series.map(({ name, points: own }) => [name, own.map(({ x, y, row }) => [x, y, row])]);
    expect(points(0)).toEqual([
      [
        'A',
        [
          [1, 100, null],
          [2, 200, 0],
          [3, 300, 1],
        ],
      ],
      [
        'B',
        [
          [1, 100, null],
          [2, 200, 0],
        ],
      ],
    ]);
    expect(points(1)).toEqual([
      [
        'A',
        [
          [1, 50, null],
          [2, 50, 0],
          [3, 50, 1],
        ],
      ],
      [
        'B',
        [
          [1, 50, null],
          [2, 10, 0],
        ],
      ],
    ]);
    expect(points(2)).toEqual([
      [
        'A',
        [
          [1, 1, null],
          [2, 2, 0],
          [3, 3, 1],
        ],
      ],
      [
        'B',
        [
          [1, 1, null],
          [2, 4, 0],
        ],
      ],
    ]);
  });

  it('lists what differs, with both sides', () => {
    expect(cards.map(({ label, value, note }) => [label, value, note])).toEqual([
      ['A', '$3.00', 'first, 3 requests'],
      ['B', '$4.00', 'second, 2 requests'],
    ]);
    expect(table.rows.map(({ name, cells }) => [name, ...cells.slice(0, 5).map(({ text }) => text)])).toEqual(
      [
        ['turn 2', '200', '200', '50', '10', '$2.00'],
        ['turn 3', '300', '–', '50', '–', '−$1.00'],
      ],
    );
    expect(table.notes).toEqual(['2 of 3 requests differ; B costs $1.00 more (33.3%).', 'a note']);
    expect(page(A, B, 0.01).table.notes[1]).toBe('figures within 1.0% of each other count as equal');
  });

  it('lists what costs most first, says in words what differs, and marks compactions', () => {
    const compacted = {
      layer: 'full',
      action: 'compact',
      outcome: 'done' as const,
      reason: 'r',
      seen: null,
      saved: null,
    };
    const paid = (nano: number, change: Partial<LaneRequest> = {}) => ({ costNano: nano, ...change });
    const declined = { ...compacted, outcome: 'declined' as const };
    const a = lane('first', [
      request(1, { acts: [declined] }),
      request(2),
      request(3, { acts: [compacted] }),
    ]);
    const b = lane('second', [
      request(1, paid(1_500_000_000, { prompt: 120 })),
      request(2, paid(4_000_000_000, { acts: [compacted] })),
      request(3, paid(0, { model: 'other', acts: [compacted] })),
    ]);
    const own = page(a, b);
    expect(own.table.rows.map(({ name, cells }) => [name, cells[4]!.text, cells[5]!.text])).toEqual([
      ['turn 2', '$3.00', 'a layer acted'],
      ['turn 3', '−$1.00', 'another model'],
      ['turn 1', '$0.5000', 'other prompt'],
    ]);
    expect(own.charts[0]!.series[0]!.points.map(({ row }) => row)).toEqual([2, 0, 1]);
    expect(own.charts.map(({ events }) => events?.map(({ x, name }) => [x, name]))).toEqual(
      own.charts.map(() => [
        [2, 'B compacts'],
        [3, 'both compact'],
      ]),
    );
    expect(charts[0]).not.toHaveProperty('events');
  });

  it('lists five thousand differences at most, and says how many are not there', () => {
    const long = (read: number) =>
      lane(
        'l',
        Array.from({ length: 5_001 }, (_, i) => request(i + 1, { read })),
      );
    const { table: cut, charts: drawn } = page(long(50), long(10));
    expect(cut.rows).toHaveLength(5_000);
    expect(cut.notes[1]).toBe('1 difference not shown here: --json has all');
    expect(drawn[0]!.series[0]!.points.slice(-2).map(({ row }) => row)).toEqual([4_999, null]);
  });
});
