import { describe, expect, it } from 'vitest';
import { commonColumns } from '../../../src/report/text/compare-table.js';

const row = (name: string, ...texts: string[]) => ({ name, cells: texts.map((text) => ({ text })) });

describe('columns in which all rows are alike', () => {
  it('become sentences, but for the first column; a row without a value is no exception', () => {
    const table = {
      caption: 'Variants',
      columns: ['cost', 'finished', 'lost'],
      rows: [row('recorded', '$1', '–', '–'), row('a', '$1', '100 %', '0'), row('b', '$1', '100 %', '2')],
      notes: [],
    };
    const { table: varying, same } = commonColumns(table);
    expect(same).toEqual(['finished 100 %']);
    expect(varying.columns).toEqual(['cost', 'lost']);
    expect(varying.rows.map(({ cells }) => cells.map(({ text }) => text))).toEqual([
      ['$1', '–'],
      ['$1', '0'],
      ['$1', '2'],
    ]);
  });

  it('need two values: one row has nothing in common with others', () => {
    const table = { caption: '', columns: ['cost', 'lost'], rows: [row('a', '$1', '0')], notes: [] };
    expect(commonColumns(table)).toEqual({ table, same: [] });
  });
});
