import { expect, it } from 'vitest';
import type { LogEntry } from '../../../src/core/run/run-log.js';
import { evaluateExpectation, parseExpectation } from '../../../src/metrics/expect.js';
import { foldLog } from '../../../src/metrics/fold.js';
import { METRICS } from '../../../src/metrics/registry.js';
import { summaryJson } from '../../../src/report/tables/summary-json.js';
import { endEntry, faultEntry, requestEntry, runEntry, threadEntry } from '../../helpers/log.js';

const BODY: LogEntry[] = [runEntry(), threadEntry(), requestEntry({ read: 90, input: 10, inputCost: 7 })];

it('holds who ran what, all metrics with null for no data, and the expectations', () => {
  const facts = foldLog([...BODY, endEntry(BODY)]);
  const expectations = [evaluateExpectation(parseExpectation('cacheHitRate >= 95%', null), facts)];
  const text = summaryJson({ digest: 'd1', facts, expectations });
  const summary = JSON.parse(text) as Record<string, unknown>;
  expect(summary).toMatchObject({
    version: 1,
    name: 'tiny',
    policy: 'claude-code/2026',
    seed: 7,
    digest: 'd1',
    complete: true,
    passed: false,
    metrics: { cacheHitRate: 0.9, cacheHitRateSubagents: null, apiCalls: 1 },
    costNanoUsd: { total: 7, byCause: { carry: 0, new: 7, output: 0 } },
  });
  expect(Object.keys(summary.metrics as object)).toEqual(METRICS.names);
  expect(summary).not.toHaveProperty('plan');
  expect(text.endsWith('}\n')).toBe(true);
});

it('does not claim that a run without expectations passed', () => {
  expect(JSON.parse(summaryJson({ digest: null, facts: foldLog(BODY), expectations: [] }))).toMatchObject({
    passed: null,
    complete: false,
  });
});

it('quotes the faults of a session with text, and has none of others', () => {
  const text = { ...runEntry().transcript, source: 'claude-code', carries: ['text'] };
  const log = [runEntry({ transcript: text }), faultEntry({ what: 'const RETRIES = 3', path: '/a.ts' })];
  const summaryOf = (entries: LogEntry[]): unknown =>
    JSON.parse(summaryJson({ digest: null, facts: foldLog(entries), expectations: [] }));
  expect(summaryOf(log)).toMatchObject({
    faults: [{ kind: 'refetch', what: 'const RETRIES = 3', path: '/a.ts', tokens: 1_000, costNanoUsd: 40 }],
  });
  expect(summaryOf(BODY)).not.toHaveProperty('faults');
});
