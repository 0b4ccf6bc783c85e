import { describe, expect, it } from 'vitest';
import * as doc from '../../../src/report/document/document.js';
import { card, pageTable } from '../../../src/report/document/document.js';
import { documentLines } from '../../../src/report/document/document-text.js';
import { plainStyle } from '../../../src/report/text/table.js';

interface Item {
  readonly name: string;
  readonly tokens: number | null;
}

const ITEMS: readonly Item[] = [
  { name: 'one', tokens: 12 },
  { name: 'two', tokens: null },
];
const COLUMNS: readonly [doc.ColumnOf<Item>, ...doc.ColumnOf<Item>[]] = [
  doc.text('name', ({ name }) => name),
  doc.number(
    'tokens',
    ({ tokens }) => tokens,
    (tokens) => (tokens === null ? '–' : `${tokens} t`),
    1,
  ),
];
const TAGGED = {
  bold: (text: string) => `<b>${text}</b>`,
  dim: (text: string) => `<d>${text}</d>`,
  red: (text: string) => `<r>${text}</r>`,
  green: (text: string) => `<g>${text}</g>`,
  yellow: (text: string) => `<y>${text}</y>`,
};
const linesOf = (blocks: readonly doc.Block[], width = 40, style = plainStyle) =>
  documentLines(blocks, { width, style });

describe('a document on the terminal', () => {
  it('wraps sentences, and sets in what belongs to a heading', () => {
    expect(linesOf(['a sentence of some words', doc.inset('another of some words')], 14)).toEqual([
      'a sentence of',
      'some words',
      '  another of',
      '    some words',
    ]);
  });

  it('has no empty line at an end, nor two together', () => {
    expect(linesOf(['', 'a', '', '', 'b', ''])).toEqual(['a', '', 'b']);
    expect(linesOf([])).toEqual([]);
  });

  it('leaves out a section that has no line', () => {
    const blocks = [doc.section('Empty', doc.table(COLUMNS, [])), doc.section('Full', doc.inset('x'))];
    expect(linesOf(blocks)).toEqual(['Full', '  x']);
  });

  it('names the columns that had no room, once', () => {
    const table = doc.table(COLUMNS, ITEMS);
    expect(linesOf([table, doc.DROPPED])).toEqual(['  name  tokens', '  one     12 t', '  two        –']);
    expect(linesOf([table, table, doc.DROPPED], 8).join(' ').replaceAll(/\s+/g, ' ')).toContain(
      'not shown in 8 columns: tokens; --json has all',
    );
  });

  it('puts a name and what it is on one line where they fit', () => {
    expect(linesOf([doc.title('name', 'what it is')])).toEqual(['name  what it is']);
    expect(linesOf([doc.title('name', 'what it is')], 12)).toEqual(['name', '  what it is']);
    expect(linesOf([doc.title('name', '')])).toEqual(['name']);
  });

  it('shows findings with their number and what to do about them', () => {
    const found = doc.findings([
      { code: 'odd', message: 'odd', remedy: 'mend it', count: 2 },
      { code: 'other', message: 'other', remedy: null, count: 1 },
    ]);
    expect(linesOf(found)).toEqual(['  odd (2 times)', '  → mend it', '  other']);
  });

  it.each([
    ['plain', '✓ x'],
    ['dim', '<d>✓ x</d>'],
    ['strong', '<b>✓ x</b>'],
    ['bad', '<r>✓ x</r>'],
    ['warning', '<y>✓ x</y>'],
    ['good', '<g>✓</g> x'],
  ] as const)('has a style for what is %s', (tone, expected) => {
    expect(linesOf([doc.said('✓ x', tone)], 40, TAGGED)).toEqual([expected]);
  });

  it('passes no control character on', () => {
    expect(linesOf(['a\u001b[2Jb', doc.title('\u0007x', '')])).toEqual(['a [2Jb', 'x']);
  });
});

describe('a document on a page', () => {
  it('has a table whose rows are named by the first column, with what they are sorted by', () => {
    expect(pageTable('All', COLUMNS, ITEMS, ['a note'])).toEqual({
      caption: 'All',
      columns: ['tokens'],
      rows: [
        { name: 'one', cells: [{ text: '12 t', value: 12 }] },
        { name: 'two', cells: [{ text: '–', value: null }] },
      ],
      notes: ['a note'],
    });
  });

  it('has cards', () => {
    expect(card('Cost', '$1', 'of all')).toEqual({
      label: 'Cost',
      value: '$1',
      note: 'of all',
      tone: 'plain',
    });
  });
});
