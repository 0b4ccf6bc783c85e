import { expect, it } from 'vitest';
import { foldLog } from '../../src/metrics/fold.js';
import type { LogEntry } from '../../src/model/run-log.js';
import { pageRun } from '../../src/report/page-run.js';
import { requestEntry, runEntry, threadEntry } from '../helpers/log.js';

it('a request refers to names by their place in lists that hold each name once', () => {
  const entries: readonly LogEntry[] = [
    runEntry(),
    threadEntry(),
    requestEntry({ n: 1, model: 'large' }),
    requestEntry({ n: 2, model: 'small', purpose: 'compact', write5m: 9, cause: 'model', rewritten: 9 }),
    requestEntry({ n: 3, model: 'large', write5m: 5, cause: 'ttl-5m', rewritten: 5 }),
    requestEntry({ n: 4, model: 'large', thread: 'sub', purpose: 'subagent', write5m: 9, cause: 'model' }),
  ];
  const { names, requests } = pageRun({
    name: 'r',
    entries,
    facts: foldLog(entries),
    digest: null,
    policyInfo: null,
  });
  expect(names).toEqual({
    threads: ['main', 'sub'],
    purposes: ['main', 'compact', 'subagent'],
    models: ['large', 'small'],
    causes: ['model', 'ttl-5m'],
  });
  expect(requests).toMatchObject({
    thread: [0, 0, 0, 1],
    purpose: [0, 1, 0, 2],
    model: [0, 1, 0, 0],
    cause: [-1, 0, 1, 0],
  });
});
