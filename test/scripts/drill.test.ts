import { describe, expect, it } from 'vitest';
import { compareDrill, drillTable, whatHappened, whatIsPredicted } from '../../scripts/drill/compare.mjs';

const usage = (read: number, write: number) => ({
  input: 0,
  cacheRead: read,
  cacheWrite5m: write,
  cacheWrite1h: 0,
  output: 5,
});

/** Three requests, a summary and what follows it, a side call, and a clearing without a summary. */
const LINES = [
  { kind: 'main', usage: usage(0, 40_000) },
  { kind: 'main', usage: usage(40_000, 50_000) },
  { kind: 'side', usage: usage(0, 100) },
  { kind: 'summary', usage: usage(90_000, 200) },
  { kind: 'main', usage: usage(20_000, 10_000) },
  { kind: 'main', usage: usage(30_000, 50_000) },
  { kind: 'main', usage: usage(20_000, 20_000) },
];

describe('a drill', () => {
  it('finds main requests, and where the context was cut down: behind a summary, or by a quarter and more', () => {
    expect(whatHappened(LINES)).toEqual({
      requests: 5,
      prompts: [40_000, 90_000, 30_000, 80_000, 40_000],
      events: [
        { main: 3, kind: 'compaction', tokens: 30_000, read: 20_000 },
        { main: 5, kind: 'clearing', tokens: 40_000, read: 20_000 },
      ],
    });
  });

  it('reads the same from the log of a run, its main thread alone', () => {
    const entry = (purpose: string, read: number, write5m: number, thread = 'main') => ({
      type: 'request',
      thread,
      purpose,
      read,
      write5m,
      write1h: 0,
      input: 0,
    });
    const log = [
      { type: 'run' },
      entry('main', 0, 40_000),
      entry('main', 0, 9, 'agent'),
      entry('compact', 40_000, 9),
      entry('main', 0, 10_000),
    ];
    expect(whatIsPredicted(log)).toMatchObject({
      requests: 2,
      prompts: [40_000, 10_000],
      events: [{ main: 2, kind: 'compaction' }],
    });
  });

  it('sets both side by side', () => {
    const predicted = { requests: 5, prompts: [44_000, 90_000, 33_000, 80_000, 80_000], events: [] };
    const row = compareDrill('an agent', whatHappened(LINES), predicted, { real: 2, predicted: 1.9 });
    expect(row).toMatchObject({
      places: '3, 5 / –',
      tokensAfter: '30, 40 / –',
      promptError: 10, // 10, 0, 10, 0 and 100 %
      costError: -5,
      samePlaces: false,
    });
    const table = drillTable([row], [{ client: 'another', why: 'it cannot be had from npm here' }]);
    expect(table).toContain('| an agent | 5 / 5 | 3, 5 / – | 30, 40 / – | 10 % | $2.00 / $1.90 | -5 % |');
    expect(table).toContain('| another | it cannot be had from npm here |');
  });
});
