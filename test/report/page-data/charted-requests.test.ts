import { expect, it } from 'vitest';
import { chartedRequests } from '../../../src/report/page-data/left-out.js';
import { requestEntry } from '../../helpers/log.js';

it('a chart drawn from some of the requests has the largest of them, and of several the first', () => {
  const requests = Array.from({ length: 9 }, (_, i) =>
    requestEntry({ n: i + 1, t: i, input: i === 4 || i === 5 ? 900 : 100 }),
  );
  // every third of nine, the last, and the fifth, which is the largest as the sixth is
  expect(chartedRequests(requests, [], 3).leftOut!.n).toEqual([1, 4, 5, 7, 9]);
});
