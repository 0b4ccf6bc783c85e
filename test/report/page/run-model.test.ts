import { expect, it } from 'vitest';
import { foldLog } from '../../../src/metrics/fold.js';
import type { LogEntry } from '../../../src/model/run-log.js';
import { createRunModel } from '../../../src/report/page/run-model.js';
import { pageRun } from '../../../src/report/page-run.js';
import { requestEntry, runEntry, threadEntry } from '../../helpers/log.js';

function modelOf(requests: readonly LogEntry[]) {
  const entries = [runEntry(), threadEntry(), ...requests];
  return createRunModel(
    pageRun({ name: 'r', entries, facts: foldLog(entries), digest: 'd', policyInfo: null }),
  );
}

it('the page adds up cost along the axis it draws', () => {
  const paid: readonly (readonly [number, number])[] = [
    [0, 1],
    [9_000, 4],
    [5_000, 2],
    [5_000, 8],
  ];
  const model = modelOf(paid.map(([t, usd], i) => requestEntry({ t, n: i + 1, outputCost: usd * 1e9 })));
  const along = (axis: 'time' | 'request') => {
    const output = model.paid(axis).at(-1)!;
    return model.order(axis).map((i) => output[i]! / 1e9);
  };
  expect(along('request')).toEqual([1, 5, 7, 15]);
  expect(along('time')).toEqual([1, 3, 11, 15]);
});

it('the page counts what is written for an hour as written, and as part of the prompt', () => {
  const model = modelOf([
    requestEntry({ read: 10, write5m: 200, write1h: 3_000, input: 40_000 }),
    requestEntry({ n: 2, write1h: 7 }),
  ]);
  expect([...model.written]).toEqual([3_200, 7]);
  expect([...model.prompt]).toEqual([43_210, 7]);
  expect(model.sums(null, 'request')).toMatchObject({ prompt: 43_217, read: 10 });
});

it('INV-5 the page counts what is paid again once: its causes add up to the cost', () => {
  const model = modelOf([
    requestEntry({ readCost: 1, writeCost: 50, inputCost: 600, outputCost: 7_000 }),
    requestEntry({
      n: 2,
      cause: 'ttl-5m',
      readCost: 2,
      writeCost: 90,
      inputCost: 700,
      outputCost: 8_000,
      rewriteCost: 60,
    }),
  ]);
  expect(model.causes).toEqual(['carry', 'new', 'rewrite:ttl-5m', 'output']);
  expect(model.paid('request').map((column) => column[1])).toEqual([3, 650 + 730, 60, 15_000]);
  expect([...model.cost]).toEqual([7_651, 8_792]);
  expect(model.sums(null, 'request').cost).toBe(7_651 + 8_792);
});
