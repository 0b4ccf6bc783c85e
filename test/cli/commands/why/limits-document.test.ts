import { describe, expect, it } from 'vitest';
import type { LimitsReport, MeterReport, WindowDetail } from '../../../../src/analysis/limits/limits.js';
import { WEIGHTS } from '../../../../src/analysis/limits/weights.generated.js';
import { CHANGES, type ChangeName } from '../../../../src/analysis/why/changes.js';
import { limitsBlocks } from '../../../../src/cli/commands/why/limits-document.js';
import { documentLines } from '../../../../src/report/document/document-text.js';
import { plainStyle } from '../../../../src/report/text/table.js';

type Parts = Readonly<Record<string, number>>;
type Cause = WindowDetail['byCause'][number]['cause'];

const slices = (weighted: number, parts: Parts) =>
  Object.entries(parts).map(([name, own]) => ({ name, weighted: own, share: own / weighted }));

/** A window that ends at an hour of 2 November, with weighted tokens by cause, thread, model and session. */
function detail(
  weighted: number,
  change: Partial<WindowDetail> = {},
  causes: Parts = { new: weighted },
): WindowDetail {
  return {
    from: '2026-11-02T04:00:30Z',
    to: '2026-11-02T09:00:30Z',
    requests: 1,
    tokens: weighted,
    weighted,
    percent: null,
    publishedPercent: { low: 9.94, high: 10 },
    byCause: slices(weighted, causes).map((own) => ({ ...own, cause: own.name as Cause })),
    byModel: slices(weighted, { large: 0.9 * weighted, small: 0.06 * weighted, other: 0.04 * weighted }),
    bySession: [],
    byThread: [],
    byCompaction: slices(weighted, { 'everything else': weighted }),
    ...change,
  };
}

const meter = (
  fullest: WindowDetail,
  latest = fullest,
  changes: MeterReport['changes'] = [],
): MeterReport => ({
  hours: 5,
  fullest,
  latest,
  windows: [],
  changes,
});

const report = (change: Partial<LimitsReport>): LimitsReport => ({
  vendor: 'anthropic',
  fiveHour: meter(detail(1_000)),
  weekly: meter(detail(1_000)),
  weights: WEIGHTS,
  fit: { fiveHour: { kind: 'no-readings' }, weekly: { kind: 'no-readings' } },
  leftOut: [],
  ...change,
});

const textOf = (change: Partial<LimitsReport>): string =>
  documentLines(limitsBlocks(report(change)), { width: 400, style: plainStyle }).join('\n');
/** The rows of the table, their cells apart. */
const rowsOf = (change: Partial<LimitsReport>, by: string): readonly string[][] =>
  textOf(change)
    .split('\n')
    .filter((line) => line.trimStart().startsWith(`${by} `))
    .map((line) => line.trim().split(/ {2,}/));

describe('where the limits went', () => {
  it('names spans to the minute, the share of pauses, and the last window beside the fullest', () => {
    const fullest = detail(2_000, {}, { new: 1_500, 'lifetime-1h': 300, 'lifetime-5m': 200 });
    const week = detail(8_000, { from: '2026-10-26T09:00:30Z' });
    const latest = detail(500, { to: '2026-11-03T23:59:00Z' });
    const [first, second, third] = textOf({ fiveHour: meter(fullest, latest), weekly: meter(week) }).split(
      '\n',
    );
    expect(first).toBe(
      'The fullest five hours were 2026-11-02 04:00 to 09:00 UTC: 2,000 weighted tokens; 25.0% of it cache rebuilds after pauses.',
    );
    expect(second).toBe(
      'The fullest week was 2026-10-26 09:00 to 2026-11-02 09:00 UTC: 8,000 weighted tokens; 0.0% of it cache rebuilds after pauses.',
    );
    expect(third).toBe(
      'At the last request (2026-11-03 23:59 UTC): five hours 500 weighted tokens, 25.0% of the fullest; week as above.',
    );
  });

  it('says how full a meter was, between what, and what reads would add', () => {
    const known = detail(100, {
      percent: { value: 9.96, low: 9.94, high: 10.4 },
      weightedBetween: { low: 100, high: 700 },
    });
    expect(textOf({ fiveHour: meter(known) })).toContain(
      ': 100 weighted tokens without reads (published fit; 700 if reads weigh as priced), 10 % of the five-hour limit (9.9 to 10);',
    );
    const sure = {
      ...known,
      percent: { value: 10, low: 10, high: 10 },
      weightedBetween: { low: 1, high: 100 },
    };
    expect(textOf({ fiveHour: meter(sure) })).toContain(
      ': 100 weighted tokens, 10 % of the five-hour limit;',
    );
  });

  it('has two models, threads and sessions of the fullest five hours, with their share of each window', () => {
    const fullest = detail(1_000, {
      byThread: slices(1_000, { main: 700, agents: 300 }),
      bySession: slices(1_000, { 'projects/shop/a.jsonl': 600, 'projects/shop/b.jsonl': 300, c: 100 }),
    });
    const change = { fiveHour: meter(fullest, detail(400, { to: '2026-11-03' })) };
    expect(rowsOf(change, 'model')).toEqual([
      ['model', 'large', '900', '90.0%', '90.0%', '90.0%'],
      ['model', 'small', '60', '6.0%', '6.0%', '6.0%'],
    ]);
    expect(rowsOf(change, 'thread')).toEqual([
      ['thread', 'main', '700', '70.0%', '0.0%', '0.0%'],
      ['thread', 'agents', '300', '30.0%', '0.0%', '0.0%'],
    ]);
    expect(rowsOf(change, 'session').map(([, name]) => name)).toEqual(['a', 'b']);
  });

  it('has eleven rows at most: causes of both windows, of the week what is a tenth of it, and the others as one', () => {
    const few = { a: 600, b: 398, c: 2 };
    // Two rows are models: nine are left. What is less than two in a thousand is with the others.
    const some = {
      fiveHour: meter(detail(1_000, {}, few)),
      weekly: meter(detail(1_000, {}, { b: 999, d: 1 })),
    };
    expect(rowsOf(some, 'cause').map(([, name, tokens]) => [name, tokens])).toEqual([
      ['a', '600'],
      ['b', '398'],
      ['c', '2'],
      ['other causes', '0'],
    ]);
    const many = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`c${i}`, 200 - 10 * i]));
    const week = { late: 99, c11: 100, c9: 150, c10: 120, c0: 531 };
    const full = { fiveHour: meter(detail(1_740, {}, many)), weekly: meter(detail(1_000, {}, week)) };
    expect(rowsOf(full, 'cause').map(([, name]) => name)).toEqual([
      ...['c0', 'c1', 'c2', 'c3', 'c4', 'c5'],
      ...['c11', 'c9'],
      'other causes',
    ]);
    // c6 to c8 with 140, 130 and 120, and c10 with 100 tokens.
    expect(rowsOf(full, 'cause').at(-1)).toEqual(['cause', 'other causes', '490', '28.2%', '28.2%', '21.9%']);
  });

  it('adds up what compactions take where that is more than the rebuilds behind them', () => {
    const byCompaction = slices(1_000, { 'everything else': 800, first: 150, second: 50 });
    const withSummaries = (compaction: number) => {
      const causes = { new: 1_000 - compaction, compaction };
      return rowsOf({ fiveHour: meter(detail(1_000, { byCompaction }, causes)) }, 'compaction');
    };
    expect(withSummaries(120)).toEqual([
      ['compaction', 'summaries and rebuilds', '200', '20.0%', '20.0%', '0.0%'],
    ]);
    expect(withSummaries(200)).toEqual([]);
  });
});

describe('what would have saved', () => {
  const [first, second, third] = CHANGES;
  const change = (name: ChangeName, weighted: number) => ({ name, weighted, share: weighted / 1_000 });
  const window = detail(1_000);

  it('is two changes at most, with their share of the week, or none', () => {
    const tried = [change(first, 300), change(second, 20), change(third, 10)];
    expect(
      textOf({ fiveHour: meter(window, window, tried), weekly: meter(window, window, [change(first, 70)]) }),
    ).toContain(
      `Simulated savings in the fullest five hours: ${first} 30.0% (week 7.0%); ${second} 2.0% (week –).`,
    );
    expect(textOf({ fiveHour: meter(window, window, [change(first, 0), change(second, -5)]) })).toContain(
      'None of the standard changes would have saved anything in the fullest five hours.',
    );
    expect(textOf({})).toContain('No change was tried: ');
  });
});

describe('what the weights rest on', () => {
  const fitted = {
    kind: 'fitted',
    readings: 3,
    unused: [
      { reading: { meter: 'fiveHour', atMs: Date.UTC(2026, 10, 2, 9, 5), percent: 100 }, why: 'full' },
    ],
    freed: 'a scale',
    parameters: 1,
    percentPerMillion: 12.345,
    factors: [],
    errorPoints: 1.26,
    errorShare: 0.1,
  } as const;
  const failed = { kind: 'failed', reason: 'they are 0 %', unused: [] } as const;

  it('is published where there is no reading, with its range, or nothing', () => {
    // 1.5 to 2.1 million tokens for a per cent: 0.6 of 3.6.
    expect(textOf({})).toContain(
      'No readings: published fits, ± 17 %: the fullest is 9.9 to 10 % of one account’s limit. --observed',
    );
    const unknown = meter(detail(10, { publishedPercent: null }));
    expect(textOf({ fiveHour: unknown })).toContain(
      'No readings: no fit is published for these meters. --observed',
    );
  });

  it('is fitted to readings, with what they miss, or says why it is not', () => {
    const text = textOf({ fit: { fiveHour: fitted, weekly: { ...fitted, readings: 1, errorPoints: null } } });
    expect(text).toContain(
      'Weights of the five hours: fitted to 3 readings (a scale), off by 1.3 points (leave-one-out); a million weighted tokens is 12.35 %.',
    );
    expect(text).toContain(
      'Weights of the week: fitted to 1 reading (a scale), error unknown from one reading;',
    );
    expect(text).not.toContain('--observed');
    const without = textOf({ fit: { fiveHour: failed, weekly: failed } });
    expect(without).toContain('Weights of the five hours by your readings: not known, they are 0 %.');
    expect(without).toContain('Without them: published fits');
  });

  it('names two of what was left out for each reason, and two reasons', () => {
    const leftOut = [
      ...['projects/shop/a.jsonl', 'b', 'c', 'd'].map((what) => ({ what, why: 'no times' })),
      { what: 'e', why: 'no model' },
      { what: 'f', why: 'no model' },
    ];
    const lines = textOf({ leftOut, fit: { fiveHour: fitted, weekly: failed } }).split('\n');
    expect(lines.map((line) => line.trim()).filter((line) => line.includes('Left out'))).toEqual([
      'Left out: a, b and 2 more: no times.',
      'Left out: e, f: no model.',
    ]);
    expect(textOf({ fit: { fiveHour: fitted, weekly: failed } })).toContain(
      'Left out: reading of 2026-11-02 09:05 UTC: full.',
    );
  });
});
