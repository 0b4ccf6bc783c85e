import { describe, expect, it } from 'vitest';
import type { FileFidelity, TotalFidelity } from '../../../../src/analysis/validate/validate.js';
import { validatePage } from '../../../../src/cli/commands/validate/validate-page.js';
import type { StudyPageData } from '../../../../src/report/page-data/page-data.js';

const compared = (read: number, predicted: number) => ({
  request: { threadId: 'main', index: 0, startMs: 0, gapMs: 0, prompt: 0, read, creation: 0 },
  predicted: { cacheRead: predicted, cacheWrite5m: 0, cacheWrite1h: 0 },
  predictedPrompt: 0,
});

/** A recording of this many requests, which read 10, 20, … tokens; the forecast is 1 more, and blind 2 more. */
function recording(name: string, requests: number, change: object = {}): FileFidelity {
  const reads = Array.from({ length: requests }, (_, i) => 10 * (i + 1));
  return {
    file: `logs/${name}.jsonl`,
    version: '2.1.100',
    requests,
    comparisons: {
      given: reads.map((read) => compared(read, read + 1)),
      blind: reads.map((read) => compared(read, read + 2)),
    },
    figures: { given: { classAgreement: 0.75 }, blind: { classAgreement: 0.5 } },
    breaks: [],
    forward: { kind: 'not-run' },
    ...change,
  } as unknown as FileFidelity;
}

/** Run forward: what was billed and what is expected, in billionths of a dollar. */
const forward = (recorded: number, expected: number) => ({
  kind: 'ran',
  session: { cost: { recorded: recorded * 1e9, predicted: 0 }, interval: { expected: expected * 1e9 } },
});

const TOTAL = {
  requests: 1_234,
  unexplainedBreaks: 5,
  given: { classAgreement: 0.9 },
  forward: { costErrorMedian: 0.02, costErrorP90: 0.25 },
  byProvider: {},
} as unknown as TotalFidelity;

const pageOf = (files: readonly FileFidelity[], total: TotalFidelity = TOTAL): StudyPageData =>
  validatePage(files, total, 'shop, 2 sessions').data;

describe('the page of a validation', () => {
  it('has a row for each session: recorded, simulated, and the sign of what is between them', () => {
    const { table } = pageOf([
      recording('more', 4, { forward: forward(2, 2.5), breaks: [1, 2, 3] }),
      recording('less', 2, { forward: forward(4, 3), version: null }),
      recording('unrun', 1),
    ]);
    expect(table!.rows.map(({ name, cells }) => [name, ...cells.map(({ text }) => text)])).toEqual([
      ['more', '4', '$2.00', '$2.50', '+25.0%', '75.0%', '3', '2.1.100'],
      ['less', '2', '$4.00', '$3.00', '−25.0%', '75.0%', '0', '–'],
      ['unrun', '1', '–', '–', '–', '75.0%', '0', '2.1.100'],
    ]);
    // sorted by how far it is off, whatever the direction
    expect(table!.rows.map(({ cells }) => cells[3]!.value)).toEqual([0.25, 0.25, null]);
  });

  it('draws the cost of sessions that were run, from two on', () => {
    const ran = (name: string) => recording(name, 0, { forward: forward(2, 3) });
    expect(pageOf([ran('a'), recording('b', 0)]).charts).toEqual([]);
    const [chart, ...others] = pageOf([ran('a'), recording('b', 0), ran('c')]).charts!;
    expect(others).toEqual([]);
    expect(chart!.guide).toBe('equal');
    expect(chart!.series.map(({ points }) => points)).toEqual([
      [
        { x: 2, y: 3, row: 0 },
        { x: 2, y: 3, row: 2 },
      ],
    ]);
  });

  it('draws every request of both ways, what is given above what is blind', () => {
    const { charts, notes } = pageOf([recording('a', 1), recording('b', 2)]);
    expect(charts).toHaveLength(1);
    expect(charts![0]!.series.map(({ name, points }) => [name, points])).toEqual([
      [
        'blind',
        [
          { x: 10, y: 12, row: 0 },
          { x: 10, y: 12, row: 1 },
          { x: 20, y: 22, row: 1 },
        ],
      ],
      [
        'unexplained breaks given',
        [
          { x: 10, y: 11, row: 0 },
          { x: 10, y: 11, row: 1 },
          { x: 20, y: 21, row: 1 },
        ],
      ],
    ]);
    expect(notes ?? []).toEqual([]);
  });

  it('shows one request in two from 3,001 on, and says so', () => {
    const pointsOf = (requests: number) => {
      const { charts, notes } = pageOf([recording('long', requests)]);
      return { notes: notes ?? [], points: charts![0]!.series[0]!.points };
    };
    expect(pointsOf(3_000)).toMatchObject({ notes: [], points: { length: 3_000 } });
    const { notes, points } = pointsOf(3_001);
    expect(points.slice(0, 2).map(({ x }) => x)).toEqual([10, 30]);
    expect(points).toHaveLength(1_501);
    expect(notes).toEqual(['The chart of requests shows one in 2 of 3,001.']);
  });

  it('has the totals on cards, and says first how far a cost can be trusted', () => {
    const { cards, lead } = pageOf([recording('a', 1), recording('b', 1)]);
    expect(cards!.map(({ label, value, note }) => [label, value, note])).toEqual([
      ['Sessions', '2', '1,234 requests compared'],
      ['Cost off, median', '2.0%', '25.0% for 90 %'],
      ['Reads agree', '90.0%', 'of the requests, unexplained breaks given'],
      ['Unexplained breaks', '5', 'that no rule predicts'],
    ]);
    expect(lead).toContain('± 2');
    const silent = { ...TOTAL, forward: { costErrorMedian: null, costErrorP90: null } };
    expect(pageOf([], silent as unknown as TotalFidelity).lead).toBe('1,234 requests compared.');
  });
});
