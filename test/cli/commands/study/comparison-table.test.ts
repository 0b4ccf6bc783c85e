import { describe, expect, it } from 'vitest';
import {
  comparisonTable,
  differenceText,
  sessionsTable,
} from '../../../../src/cli/commands/study/comparison-table.js';
import { compareVariants, type Difference } from '../../../../src/study/comparison.js';
import { type Runs, variantOf } from '../../../helpers/variant-runs.js';

/** Finished runs of four calls with these costs, one for each session. */
const costs = (...values: readonly number[]): Runs =>
  Object.fromEntries(values.map((usd, i) => [`logs/s${i}.jsonl`, [4, 0, usd] as const]));

function compared(rows: Readonly<Record<string, Runs>>, metrics: readonly string[] = ['costUsd']) {
  const runs = Object.entries(rows).map(([name, own]) => variantOf(name, own));
  return { runs, comparison: compareVariants(runs, Object.keys(rows)[0]!, metrics) };
}

function tableOf(...input: Parameters<typeof compared>) {
  const { comparison, runs } = compared(...input);
  const table = comparisonTable('c', comparison, runs);
  const cells = table.rows.map(({ name, note, cells: [first] }) => [
    name,
    first!.text,
    first!.note ?? '',
    first!.mark ?? '',
    note ?? '',
  ]);
  return { ...table, cells };
}

it('a difference of which nothing is known says nothing', () => {
  const none = { mean: null, relative: null, verdict: 'no-data' } as unknown as Difference;
  expect(differenceText(none, 'costUsd')).toBe('');
});

describe('the table of a comparison', () => {
  it('has the difference of each variant in percent, in words where it says nothing, and the best and the worse', () => {
    const { cells, notes } = tableOf({
      base: costs(4, 6),
      cheap: costs(3, 5),
      dear: costs(5, 7.1),
      noisy: costs(7, 3),
      same: costs(4, 6),
    });
    expect(cells).toEqual([
      ['base', '$5.00', '', '', ''],
      ['cheap', '$4.00', '−20 %', 'best', ''],
      // 1 and 1.1 more are 1.05 of 5 on average
      ['dear', '$6.05', '+21 %', 'worse', ''],
      ['noisy', '$5.00', 'within noise', '', ''],
      ['same', '$5.00', '=', '', ''],
    ]);
    expect(notes[0]).toBe(
      '* best · differences to base · means over 2 sessions; differences are paired, intervals are 95 %; one that contains 0 is noise',
    );
    expect(notes).toContain(
      'the same as base in every metric: same; the changed settings had no effect here',
    );
    expect(notes).toContain('cost of cheap: −$1.00 (−20 %, 95 %: −$1.00 … −$1.00, better)');
    // two differences with a standard error of 0.05: 12.706 times that to either side
    expect(notes).toContain('cost of dear: +$1.05 (+21 %, 95 %: +$0.4147 … +$1.69, worse)');
    expect(notes.filter((note) => note.startsWith('costUsd of same'))).toEqual([]);
  });

  it('has a difference in dollars where the baseline is free, and no interval over one session', () => {
    const { cells, notes } = tableOf({ base: costs(0), more: costs(2) });
    expect(cells[1]!.slice(0, 3)).toEqual(['more', '$2.00', '+$2.00']);
    expect(notes[0]).toContain('one transcript: differences have no interval');
    expect(notes).toContain('cost of more: +$2.00 (one transcript, no interval)');
    expect(notes.join()).not.toContain('the same as');
  });

  it.each([
    [4_000.1, '+<0.1 %'],
    [3_999.9, '−<0.1 %'],
    [4_002, '+0.1 %'],
    [3_000, '−25 %'],
  ])('of 4,000 to %d says %s', (usd, text) => {
    expect(tableOf({ base: costs(4_000), other: costs(usd) }).cells[1]![2]).toBe(text);
  });

  it('marks a row that did not finish, and pairs nothing with how far it came', () => {
    const { cells, rows } = tableOf({ base: costs(4), cut: { 'logs/s0.jsonl': [3, 1, 1] } }, [
      'costUsd',
      'finishedShare',
    ]);
    expect(cells[1]!.at(-1)).toBe('unfinished');
    expect(rows.map((row) => row.cells[1]!.text)).toEqual(['100.0%', '75.0%']);
    expect(rows.map((row) => row.cells[1]!.note)).toEqual(['', '']);
  });

  it.each([
    [[4], 'base: the 90 % interval of the cost is $3.00 … $6.00'],
    // The means of the ends of two intervals are the ends of no 90 % interval.
    [[4, 5], 'base: the mean 90 % interval of the cost of the 2 sessions is $3.00 … $6.00'],
  ])('has the interval of costs %j where runs have one', (values, said) => {
    const { comparison, runs } = compared({ base: costs(...values) });
    const variants = comparison.variants.map((row) => ({
      ...row,
      metrics: { ...row.metrics, costLowUsd: 3, costHighUsd: 6 },
    }));
    const notes = (metrics: readonly string[]) =>
      comparisonTable('c', { ...comparison, variants, metrics }, runs).notes.join('\n');
    expect(notes(['costUsd'])).toContain(said);
    expect(notes(['finishedShare'])).not.toContain('90 % interval');
  });
});

describe('the sessions of a comparison', () => {
  const shownOf = (rows: Readonly<Record<string, Runs>>, change: object = {}) => {
    const { comparison, runs } = compared(rows);
    return sessionsTable({
      comparison,
      runs,
      recorded: null,
      shown: 'logs/s1.jsonl',
      command: (session) => `ccbench compare --transcripts ${session}`,
      ...change,
    });
  };

  it('have the one best value of each marked, where every variant finished', () => {
    const table = shownOf({
      base: { ...costs(4, 6, 5), 'logs/s3.jsonl': [4, 0, 1] },
      other: { ...costs(3, 7, 5), 'logs/s3.jsonl': [3, 1, 0.5] },
    })!;
    expect(table.columns).toEqual(['base', 'other']);
    expect(
      table.rows.map(({ name, note, cells }) => [
        name,
        note ?? '',
        ...cells.map(({ text, mark, note: own }) => [text, mark ?? own ?? ''].join(' ').trim()),
      ]),
    ).toEqual([
      ['s0', '', '$4.00', '$3.00 best'],
      ['s1', '', '$6.00 best', '$7.00'],
      ['s2', '', '$5.00', '$5.00'],
      ['s3', '', '$1.00', '$0.5000 unfinished'],
    ]);
    expect(table.rows[0]!.command).toBe('ccbench compare --transcripts logs/s0.jsonl');
    expect(table.notes).toEqual([
      'The runs below are those of s1.',
      'Click a session for the command that makes this page for it alone.',
    ]);
  });

  it('have none marked that looks like another', () => {
    const table = shownOf({ base: costs(4.001, 6), other: costs(4.002, 7) })!;
    expect(table.rows.map(({ cells }) => cells.map(({ text, mark }) => `${text} ${mark ?? ''}`))).toEqual([
      ['$4.00 ', '$4.00 '],
      ['$6.00 best', '$7.00 '],
    ]);
  });

  it('have what was billed first where it is known, and no command where no file holds them', () => {
    const runs = [{ transcript: 'logs/s1.jsonl', metrics: { costUsd: 9 } }];
    const table = shownOf({ base: costs(4, 6) }, { recorded: { runs, metrics: {} }, command: () => null })!;
    expect(table.columns).toEqual(['as recorded', 'base']);
    expect(table.rows.map(({ cells }) => cells.map(({ value }) => value))).toEqual([
      [null, 4],
      [9, 6],
    ]);
    expect(table.rows.map(({ command }) => command)).toEqual([undefined, undefined]);
    expect(table.notes).toEqual(['The runs below are those of s1.']);
  });

  it('keep their folders where two have one name; one alone has no table', () => {
    const twins: Runs = { 'a/s.jsonl': [4, 0, 1], 'b/s.jsonl': [4, 0, 2] };
    expect(shownOf({ base: twins })!.rows.map(({ name }) => name)).toEqual(['a/s.jsonl', 'b/s.jsonl']);
    expect(shownOf({ base: costs(4) })).toBeNull();
  });
});
