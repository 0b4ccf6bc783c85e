import { describe, expect, it } from 'vitest';
import type { RequestEntry } from '../../../../src/core/run/log-entries.js';
import { foldLog } from '../../../../src/metrics/fold.js';
import { brokenRequests, promptPaths } from '../../../../src/report/page/run/prompt-paths.js';
import { linearScale } from '../../../../src/report/page/widgets/scale.js';
import { pageRun } from '../../../../src/report/page-data/page-run.js';
import { createRunModel } from '../../../../src/report/page-data/run-model.js';
import { requestEntry, runEntry, threadEntry } from '../../../helpers/log.js';

function modelOf(requests: readonly Parameters<typeof requestEntry>[0][]) {
  const entries = [
    runEntry(),
    threadEntry(),
    ...requests.map((change, i): RequestEntry => requestEntry({ n: i + 1, t: i, ...change })),
  ];
  return createRunModel(
    pageRun({ name: 'r', entries, facts: foldLog(entries), digest: null, policyInfo: null }),
  );
}

/** A hundred tokens are a hundred pixels, upwards from 100. */
const Y = linearScale([0, 100], [100, 0]);
const pathsOf = (
  requests: readonly Parameters<typeof requestEntry>[0][],
  domain: readonly [number, number],
  width: number,
  axis: 'request' | 'time' = 'request',
) => promptPaths(modelOf(requests), axis, linearScale(domain, [0, width]), Y);

describe('the bars of prompts', () => {
  it('stack what was read, written and neither, 14 pixels wide at most, with a gap of one', () => {
    expect(
      pathsOf([{ read: 10, write5m: 20, write1h: 5, input: 30 }, { input: 7 }], [0.5, 2.5], 200),
    ).toEqual({
      read: 'M43.0,100.0h13.0V90.0h-13.0z',
      written: 'M43.0,90.0h13.0V65.0h-13.0z',
      uncached: 'M43.0,65.0h13.0V35.0h-13.0zM143.0,100.0h13.0V93.0h-13.0z',
    });
  });

  it('are as wide as there is room for, without a gap up to four pixels', () => {
    expect(pathsOf([{ read: 10 }, { read: 10 }], [0.5, 2.5], 10).read).toBe(
      'M0.0,100.0h4.0V90.0h-4.0zM5.0,100.0h4.0V90.0h-4.0z',
    );
    expect(pathsOf([{ read: 10 }, { read: 10 }], [0.5, 2.5], 8).read).toBe(
      'M0.0,100.0h4.0V90.0h-4.0zM4.0,100.0h4.0V90.0h-4.0z',
    );
  });

  it('leave out what is not in sight', () => {
    const three = [{ read: 10 }, { read: 20 }, { read: 30 }];
    expect(pathsOf(three, [1.5, 2.5], 100).read).toBe('M43.0,100.0h13.0V80.0h-13.0z');
    expect(pathsOf(three, [1, 2], 100).read.match(/M/g)).toHaveLength(2);
  });

  it('show of each column of two pixels the largest prompt that was mostly not read, else the largest', () => {
    // four requests in two pixels
    const shown = (requests: readonly Parameters<typeof requestEntry>[0][]) =>
      pathsOf(requests, [0.5, 4.5], 2);
    expect(shown([{ read: 10 }, { read: 30 }, { read: 20 }, { read: 5 }])).toMatchObject({
      read: 'M0.0,100.0h2.0V70.0h-2.0z',
    });
    expect(
      shown([{ read: 50 }, { read: 1, input: 9 }, { read: 2, input: 18 }, { read: 10, input: 10 }]),
    ).toEqual({
      read: 'M0.0,100.0h2.0V98.0h-2.0z',
      written: '',
      uncached: 'M0.0,98.0h2.0V80.0h-2.0z',
    });
  });

  it('are two pixels wide over time', () => {
    expect(
      pathsOf(
        [
          { t: 0, read: 10 },
          { t: 50, read: 20 },
        ],
        [0, 100],
        100,
        'time',
      ).read,
    ).toBe('M0.0,100.0h2.0V90.0h-2.0zM50.0,100.0h2.0V80.0h-2.0z');
  });
});

it('a request is broken where it paid for content again', () => {
  const model = modelOf([
    { write5m: 5, writeCost: 9, rewriteCost: 9, cause: 'model' },
    { cause: null },
    { write5m: 5, cause: 'ttl-5m', rewriteCost: 0 },
    { write5m: 5, writeCost: 1, rewriteCost: 1, cause: 'ttl-5m' },
  ]);
  expect(brokenRequests(model)).toEqual([0, 3]);
});
