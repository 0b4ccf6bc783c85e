import { describe, expect, it } from 'vitest';
import { type Column, plainStyle, tableLines, textWidth, wrapText } from '../../../src/report/text/table.js';

const COLUMNS: Column[] = [
  { header: 'key', align: 'left', drop: null },
  { header: 'n', align: 'right', drop: 2 },
  { header: 'note', align: 'left', drop: 1 },
];
const ROWS = [{ cells: ['a-very-long-key', '7', 'first'] }, { cells: ['b', '1,000', ''] }];
const lines = (width: number): string[] =>
  tableLines(COLUMNS, ROWS, { indent: '  ', width, style: plainStyle });

describe('tableLines', () => {
  it('aligns columns', () => {
    expect(lines(80)).toEqual([
      '  key                  n  note',
      '  a-very-long-key      7  first',
      '  b                1,000',
    ]);
  });

  it('drops columns in their order, never part of a key', () => {
    expect(lines(30)).toEqual([
      '  key                  n',
      '  a-very-long-key      7',
      '  b                1,000',
    ]);
    expect(lines(17)).toEqual(['  key', '  a-very-long-key', '  b']);
  });

  it('breaks a key that has no room, at spaces where there are some, and aligns its first line', () => {
    expect(lines(14)).toEqual(['  key', '  a-very-lon', '    g-key', '  b']);
    const columns: Column[] = [
      { header: 'what broke', align: 'left', drop: null },
      { header: 'cost', align: 'right', drop: null },
    ];
    const rows = [{ cells: ['the system prompt changed', '$5.42'] }, { cells: ['tools', '$10.00'] }];
    expect(tableLines(columns, rows, { indent: '', width: 26, style: plainStyle })).toEqual([
      'what broke            cost',
      'the system prompt    $5.42',
      '  changed',
      'tools               $10.00',
    ]);
  });
});

it('wraps sentences at spaces with a hanging indent', () => {
  expect(wrapText('one two three', 9, '- ', '  ')).toEqual(['- one two', '  three']);
  expect(wrapText('extraordinary', 5, '', '')).toEqual(['extraordinary']);
});

it('counts wide characters twice', () => {
  expect([textWidth('abc'), textWidth('漢字'), textWidth('é')]).toEqual([3, 4, 1]);
});
