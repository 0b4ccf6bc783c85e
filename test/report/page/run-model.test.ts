import { expect, it } from 'vitest';
import { foldLog } from '../../../src/metrics/fold.js';
import { createRunModel } from '../../../src/report/page/run-model.js';
import { pageRun } from '../../../src/report/page-run.js';
import { requestEntry, runEntry, threadEntry } from '../../helpers/log.js';

it('the page adds up cost along the axis it draws', () => {
  const paid: readonly (readonly [number, number])[] = [
    [0, 1],
    [9_000, 4],
    [5_000, 2],
    [5_000, 8],
  ];
  const entries = [
    runEntry(),
    threadEntry(),
    ...paid.map(([t, usd], i) => requestEntry({ t, n: i + 1, outputCost: usd * 1e9 })),
  ];
  const run = { name: 'r', entries, facts: foldLog(entries), digest: 'd', policyInfo: null };
  const model = createRunModel(pageRun(run));
  const along = (axis: 'time' | 'request') => {
    const output = model.paid(axis).at(-1)!;
    return model.order(axis).map((i) => output[i]! / 1e9);
  };
  expect(along('request')).toEqual([1, 5, 7, 15]);
  expect(along('time')).toEqual([1, 3, 11, 15]);
});
