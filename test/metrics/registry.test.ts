import { describe, expect, it } from 'vitest';
import { foldLog } from '../../src/metrics/fold.js';
import { findMetric, METRICS, metricNames, metricValues } from '../../src/metrics/registry.js';
import { breakEntry, layerEntry, requestEntry } from '../helpers/log.js';

const FACTS = foldLog([
  requestEntry({
    n: 1,
    turn: 1,
    t: 0,
    write5m: 800,
    input: 200,
    writeCost: 3e9,
    inputCost: 1e9,
    latencyMs: 100,
  }),
  requestEntry({
    n: 2,
    turn: 2,
    t: 1_800_000,
    read: 900,
    write5m: 100,
    output: 40,
    readCost: 1e9,
    writeCost: 2e9,
    outputCost: 1e9,
    cause: 'tools',
    rewriteCost: 5e8,
    latencyMs: 300,
  }),
  requestEntry({ n: 3, turn: 2, purpose: 'compact', read: 1000, readCost: 2e9 }),
  requestEntry({ n: 4, thread: 's', purpose: 'subagent', read: 100, input: 300, inputCost: 1e9 }),
  breakEntry({ cause: 'tools' }),
  breakEntry({ cause: 'compaction', expected: true }),
  layerEntry({ saved: 700, cacheLost: 900, calls: 1, cost: 2e9 }),
  layerEntry({ turn: 9, layer: 'microcompact', action: 'clear', saved: 30 }),
  { type: 'notice', t: 0, thread: 'main', what: 'blocked', message: '', details: {} },
]);

describe('metricValues', () => {
  it('gives each metric by its definition', () => {
    expect(metricValues(FACTS)).toMatchObject({
      apiCalls: 4,
      promptTokens: 1000 + 1000 + 1000 + 400,
      cacheReadTokens: 2000,
      cacheCreationTokens: 900,
      uncachedTokens: 500,
      outputTokens: 40,
      cacheHitRate: 2000 / 3400,
      cacheHitRateSubagents: 0.25,
      cacheHitRateLayers: 1,
      layerRequests: 1,
      costUsd: 11,
      costUsdMain: 8,
      costUsdSubagents: 1,
      costUsdLayers: 2,
      backgroundCostUsd: 2,
      costUsdRewrites: 0.5,
      peakContextTokens: 1040,
      meanPromptTokens: 1000,
      meanLatencyMs: 200,
      cacheBreaks: 1,
      cacheBreaksExpected: 1,
      blockedInputs: 1,
      compactions: 1,
      fullCompactions: 1,
      microcompactions: 1,
      tokensSaved: 730,
      cacheTokensDestroyed: 900,
      simulatedHours: 0.5,
      estimatorRatio: null,
      overshootTokens: null,
      restoredFiles: null,
    });
  });

  it('has no data over requests when none was answered, and counts of zero for events', () => {
    const values = metricValues(foldLog([]));
    const empty = METRICS.names.filter((name) => values[name] === null);
    expect(empty).toEqual(
      expect.arrayContaining(['cacheHitRate', 'costUsd', 'cacheBreaks', 'meanPromptTokens']),
    );
    const numbers = Object.values(values).filter((value) => value !== null);
    expect(numbers.every((value) => value === 0)).toBe(true);
    expect(values).toMatchObject({ apiCalls: 0, breakerTrips: 0, compactions: 0 });
  });

  it('never gives a number that is not finite', () => {
    for (const facts of [FACTS, foldLog([]), foldLog([requestEntry()])]) {
      for (const name of metricNames()) {
        const value = findMetric(name)!.value(facts);
        expect(value === null || Number.isFinite(value), name).toBe(true);
      }
    }
  });
});

describe('dotted metrics', () => {
  const value = (name: string): number | null | undefined => findMetric(name)?.value(FACTS);

  it('reach into the splits, in dollars', () => {
    expect(value('costByCause.carry')).toBe(3);
    expect(value('costByCause.rewrite:tools')).toBe(0.5);
    expect(value('costByCause.rewrite:model')).toBe(0);
    expect(value('costByLayer.compact')).toBe(2);
    expect(value('costByThread.s')).toBe(1);
    expect(value('costByThread.unknown')).toBeNull();
    expect(value('cacheBreaksByCause.tools')).toBe(1);
    expect(value('cacheBreaksExpectedByCause.tools')).toBe(0);
  });

  it('reach into a layer', () => {
    expect(value('layers.microcompact.saved')).toBe(30);
    expect(value('layers.full-compact.costUsd')).toBe(2);
    expect(findMetric('layers.full-compact.costUsd')?.unit).toBe('usd');
    const fields = ['triggers', 'done', 'failed', 'declined', 'cacheLost', 'calls', 'prevented', 'deferred'];
    expect(fields.map((field) => value(`layers.full-compact.${field}`))).toEqual([1, 1, 0, 0, 900, 1, 0, 0]);
  });

  it('take the keys of open families from the run', () => {
    expect(value('failures.prompt_too_long')).toBe(0);
    expect(value('failures.toString')).toBe(0);
    expect(value('notices.blocked')).toBe(1);
  });

  it('do not exist for unknown families and keys', () => {
    for (const name of [
      'nope.x',
      'costByCause.nope',
      'layers.microcompact',
      'layers.x.saved',
      'failures.',
      'failures',
      '.',
    ]) {
      expect(findMetric(name), name).toBeNull();
    }
  });
});
