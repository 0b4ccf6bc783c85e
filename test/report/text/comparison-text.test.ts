import { describe, expect, it } from 'vitest';
import { comparisonLines, comparisonMarkdown, recordsCsv } from '../../../src/report/text/comparison-text.js';
import { plainStyle } from '../../../src/report/text/table.js';

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

  it('tells a column in one line in which all are alike, before it leaves anything out', () => {
    expect(lines(46)).toEqual([
      'variant         costUsd   cacheHitRate',
      'first             $1.00            90%',
      'second   $2.00 (+100 %)  80% (−11.1 %)',
      'the same in all rows: finishedShare 100%',
      'a note',
    ]);
  });

  it('breaks heads into lines next, then leaves differences out from the second column on', () => {
    expect(lines(33)).toEqual([
      '                         cacheHit',
      'variant         costUsd      Rate',
      'first             $1.00       90%',
      'second   $2.00 (+100 %)       80%',
      'the same in all rows:',
      '  finishedShare 100%',
      'other differences are left out,',
      '  too wide for 33 columns (--json',
      '  has them)',
      'a note',
    ]);
  });

  it('leaves all differences out where that lets every column in, and names columns that do not fit', () => {
    expect(lines(27)).toEqual([
      '                  cacheHit',
      'variant  costUsd      Rate',
      'first      $1.00       90%',
      'second     $2.00       80%',
      'the same in all rows:',
      '  finishedShare 100%',
      'differences are left out,',
      '  too wide for 27 columns',
      '  (--json has them)',
      'a note',
    ]);
    expect(lines(25).join(' ').replace(/ +/g, ' ')).toContain(
      'left out, too wide for 25 columns: cacheHitRate (--json has them)',
    );
  });

  it('takes no value for none: a variant without one is not unlike the others, and one alone is no agreement', () => {
    const recorded = { name: 'as recorded', cells: [{ text: '$3.00' }, { text: '–' }, { text: '–' }] };
    const only = { name: 'only', cells: [{ text: '$3.00' }, { text: '100%' }, { text: '–' }] };
    const shown = (rows: typeof TABLE.rows): string =>
      comparisonLines({ ...TABLE, rows }, { width: 44, style: plainStyle }).join('\n');
    expect(shown([recorded, ...TABLE.rows])).toContain('the same in all rows: finishedShare 100%');
    const wide = { ...TABLE, rows: [recorded, only] };
    expect(comparisonLines(wide, { width: 30, style: plainStyle }).join('\n')).not.toContain(
      'the same in all',
    );
  });
});

describe('a comparison in files', () => {
  it('is Markdown with the best in bold, differences below values, and no cell that ends its column', () => {
    const table = {
      ...TABLE,
      caption: 'a | b',
      rows: [
        {
          name: 'x|y',
          note: 'unfinished',
          cells: [{ text: '$1.00', mark: 'best' as const }, { text: '1' }, { text: '2', note: '' }],
        },
        ...TABLE.rows.slice(1),
      ],
      notes: ['one | note'],
    };
    expect(comparisonMarkdown(table)).toBe(
      [
        '# a \\| b',
        '',
        '| variant | costUsd | finishedShare | cacheHitRate |',
        '| --- | ---: | ---: | ---: |',
        '| x\\|y (unfinished) | **$1.00** | 1 | 2 |',
        '| second | $2.00<br>+100 % | 100%<br>= | 80%<br>−11.1 % |',
        '',
        '- one \\| note',
        '',
      ].join('\n'),
    );
  });

  it('is CSV with a column for each name, empty where there is no value', () => {
    const pieces = recordsCsv(
      ['name', 'n'],
      ['costUsd', 'turns'],
      [
        { keys: ['a', 1], values: { costUsd: 2.5, turns: 3 } },
        { keys: ['b', 2], values: { costUsd: null } },
      ],
    );
    const lines = [...pieces].join('').trimEnd().split('\n');
    expect(lines).toEqual(['name,n,costUsd,turns', 'a,1,2.5,3', 'b,2,,']);
  });

  it('is CSV in pieces with one head, however many rows there are', () => {
    const rows = Array.from({ length: 1_000 }, (_, i) => ({ keys: [i], values: { turns: i } }));
    const pieces = [...recordsCsv(['n'], ['turns'], rows)];
    expect(pieces.length).toBeGreaterThan(2);
    expect(pieces.join('')).toBe(['n,turns', ...rows.map((_, i) => `${i},${i}`), ''].join('\n'));
  });

  it('says nothing of differences where there are none to leave out, and stars the best', () => {
    const plain = {
      ...TABLE,
      rows: TABLE.rows.map(({ name, cells }, i) => ({
        name,
        cells: cells.map(({ text }, j) => ({
          text,
          ...(i === 0 && j === 0 ? { mark: 'best' as const } : {}),
        })),
      })),
    };
    const shown = comparisonLines(plain, { width: 27, style: plainStyle });
    expect(shown.join('\n')).not.toContain('left out');
    expect(shown[2]).toMatch(/^first +\$1\.00\* /);
  });
});
