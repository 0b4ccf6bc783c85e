import { expect, it } from 'vitest';
import { foldLog } from '../../../../src/metrics/fold.js';
import { paidPart } from '../../../../src/report/page/run/paid-part.js';
import { createRunModel } from '../../../../src/report/page/run/run-model.js';
import { pageRun } from '../../../../src/report/page-data/page-run.js';
import { requestEntry, runEntry, threadEntry } from '../../../helpers/log.js';

const ENTRIES = [
  runEntry(),
  threadEntry(),
  requestEntry({ t: 0, outputCost: 1 }),
  requestEntry({ t: 1_000, n: 2, cause: 'ttl-5m', writeCost: 20, rewriteCost: 20, outputCost: 2 }),
  requestEntry({ t: 2_000, n: 3, readCost: 300, outputCost: 4 }),
  requestEntry({ t: 3_000, n: 4, outputCost: 8 }),
];
const MODEL = createRunModel(
  pageRun({ name: 'r', entries: ENTRIES, facts: foldLog(ENTRIES), digest: 'd', policyInfo: null }),
);

// causes: cache reads, new content, written again, output
it('what was paid is split at the beginning of a part of the axis', () => {
  expect(paidPart(MODEL, null, 'request')).toEqual({ before: [0, 0, 0, 0], within: [300, 0, 20, 15] });
  expect(paidPart(MODEL, [2.5, 3.5], 'request')).toEqual({ before: [0, 0, 20, 3], within: [300, 0, 0, 4] });
  expect(paidPart(MODEL, [1_000, 2_000], 'time')).toEqual({ before: [0, 0, 0, 1], within: [300, 0, 20, 6] });
});
