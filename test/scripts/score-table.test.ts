import { expect, it } from 'vitest';
import { scoreRow, withRow } from '../../scripts/mutate/score-table.mjs';

const sample = { folder: 'study', seed: '7', limit: '4', budget: '60', mutants: 900 };

it('a score is what was noticed of what was tried, with the sample that it is of', () => {
  const verdicts = ['killed', 'timeout', 'survived', 'killed'];
  expect(scoreRow({ ...sample, verdicts })).toBe(
    '| study | 900 | 4 | 3 | 1 | 0 | 75 % | `--folder study --limit 4 --seed 7` |',
  );
  expect(scoreRow({ ...sample, verdicts: ['not reached', 'killed'], budget: '20' })).toContain(
    '| 1 | 0 | 1 | 50 % | `--folder study --limit 4 --seed 7 --budget 20` |',
  );
  expect(scoreRow({ ...sample, verdicts: [] })).toContain('| – |');
});

it('a row takes the place of the older one of its folder, in the order of names', () => {
  const page = (...rows: readonly string[]): string =>
    ['# Title', '', '| folder | score |', '| --- | --- |', ...rows, '', 'after'].join('\n');
  const old = page('| cache | 1 % |', '| study | 2 % |', '| transcripts | 3 % |');
  expect(withRow(old, '| study | 9 % |')).toBe(
    page('| cache | 1 % |', '| study | 9 % |', '| transcripts | 3 % |'),
  );
  expect(withRow(old, '| report | 9 % |')).toBe(
    page('| cache | 1 % |', '| report | 9 % |', '| study | 2 % |', '| transcripts | 3 % |'),
  );
  expect(withRow(page(), '| cli | 9 % |')).toBe(page('| cli | 9 % |'));
});
