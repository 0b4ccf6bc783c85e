import { describe, expect, it } from 'vitest';
import { comparisonLines } from '../../src/report/comparison-text.js';
import { plainStyle } from '../../src/report/style.js';

const TABLE = {
  caption: 'two',
  columns: ['costUsd', 'finishedShare', 'cacheHitRate'],
  rows: [
    { name: 'first', cells: [{ text: '$1.00' }, { text: '100%' }, { text: '90%' }] },
    {
      name: 'second',
      cells: [
        { text: '$2.00', note: '+100 %' },
        { text: '100%', note: '=' },
        { text: '80%', note: '−11.1 %' },
      ],
    },
  ],
  notes: ['a note'],
};
const lines = (width: number): readonly string[] => comparisonLines(TABLE, { width, style: plainStyle });

describe('a comparison on the terminal', () => {
  it('shows differences where there is room', () => {
    expect(lines(80)).toEqual([
      'variant         costUsd  finishedShare   cacheHitRate',
      'first             $1.00           100%            90%',
      'second   $2.00 (+100 %)       100% (=)  80% (−11.1 %)',
      'a note',
    ]);
  });

  it('leaves differences out before any column, and says so', () => {
    expect(lines(46)).toEqual([
      'variant  costUsd  finishedShare  cacheHitRate',
      'first      $1.00           100%           90%',
      'second     $2.00           100%           80%',
      'differences are left out, too wide for 46 columns (--json has them)',
      'a note',
    ]);
  });

  it('breaks heads into lines next, and then names the columns that do not fit', () => {
    expect(lines(36)).toEqual([
      '                  finished  cacheHit',
      'variant  costUsd     Share      Rate',
      'first      $1.00      100%       90%',
      'second     $2.00      100%       80%',
      'differences are left out, too wide for 36 columns (--json has them)',
      'a note',
    ]);
    expect(lines(30)).toContain('left out, too wide for 30 columns: cacheHitRate (--json has them)');
  });
});
