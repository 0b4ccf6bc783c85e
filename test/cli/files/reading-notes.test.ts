import { expect, it } from 'vitest';
import { readingRemarks } from '../../../src/cli/files/reading-notes.js';

const warning = (message: string, count: number) => ({ code: 'c', message, remedy: 'r', count });

it('a remark names the recording that it is about, or the first of several, once', () => {
  const recordings = [
    {
      label: '/s/a.jsonl',
      warnings: [warning('results are missing', 2), warning('a.jsonl: line 3 is cut', 1)],
    },
    { label: '/s/b.jsonl', warnings: [warning('results are missing', 1)] },
  ];
  expect(readingRemarks(recordings, (label) => label.slice(3, -6))).toEqual([
    'a and 1 other session: results are missing (3 times)',
    'a.jsonl: line 3 is cut',
  ]);
});
