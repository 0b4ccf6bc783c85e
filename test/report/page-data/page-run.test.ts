import { describe, expect, it } from 'vitest';
import type { LogEntry } from '../../../src/core/run/run-log.js';
import type { RunFacts } from '../../../src/metrics/facts.js';
import { foldLog } from '../../../src/metrics/fold.js';
import { pageRun } from '../../../src/report/page-data/page-run.js';
import { layerEntry, requestEntry, runEntry, threadEntry } from '../../helpers/log.js';

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

describe('the page of a run', () => {
  const entries: readonly LogEntry[] = [
    runEntry({
      plan: {
        version: 3,
        seed: 7,
        cache: { ttl: '5m', sizes: [1, 2] },
        policy: { name: 'x', params: { a: 1 } },
        nothing: null,
      },
    }),
    threadEntry(),
    requestEntry({ read: 900, input: 100, output: 50, outputCost: 2e9 }),
    requestEntry({ n: 2, turn: 2, input: 1_000, outputCost: 4e9 }),
    layerEntry({ saved: 300, cacheLost: 900, cost: 5e8 }),
    layerEntry({ outcome: 'failed', failure: 'x' }),
    layerEntry({ layer: 'storage', outcome: 'declined' }),
  ];
  const facts = foldLog(entries);
  const pageOf = (change: Partial<RunFacts> = {}) =>
    pageRun({
      name: 'r',
      entries,
      facts: { ...facts, ...change },
      digest: null,
      policyInfo: null,
    });
  const cardsOf = (change: Partial<RunFacts> = {}) =>
    Object.fromEntries(
      pageOf(change).cards.map(({ label, value, note, tone }) => [label, [value, note, tone]]),
    );

  it('opens with six numbers and what they are of', () => {
    expect(cardsOf({ compactions: { ...facts.compactions, done: 2, failed: 1 } })).toEqual({
      Cost: ['$6.00', '$3.00 per turn', 'plain'],
      'Cache-hit rate': ['45.0%', 'of 2,000 prompt tokens', 'plain'],
      'Peak context': ['1,050', 'of a window of 200,000 tokens', 'plain'],
      Compactions: ['2', '0 prevented, 900 cached tokens destroyed', 'plain'],
      Requests: ['2', '2 turns of the main loop', 'plain'],
      Troubles: ['1', '0 refused, 0 lost, 1 failed compaction', 'bad'],
    });
    // K14: where chance has a say, the cost is no point.
    expect(cardsOf({ costInterval: { expected: 7e9, low: 5e9, high: 9e9 } }).Cost).toEqual([
      '$6.00',
      '$3.00 per turn; 90 % interval $5.00 … $9.00',
      'plain',
    ]);
    const troubled = cardsOf({
      requestsRefused: 2,
      callsLost: 3,
      compactions: { ...facts.compactions, failed: 4 },
    });
    expect(troubled.Troubles).toEqual(['9', '2 refused, 3 lost, 4 failed compactions', 'bad']);
    const sound = cardsOf({ compactions: { ...facts.compactions, failed: 0 } });
    expect(sound.Troubles).toEqual(['0', '0 refused, 0 lost, 0 failed compactions', 'plain']);
  });

  it('shows the layers that fired', () => {
    expect(
      pageOf().layers.map(({ name, acts, declined, saved, destroyed, cost }) => [
        name,
        acts,
        declined,
        saved,
        destroyed,
        cost,
      ]),
    ).toEqual([
      ['storage', 0, 1, 0, 0, 0],
      ['full-compact', 2, 0, 300, 900, 5e8],
    ]);
  });

  it('shows the settings of the plan by their paths, parameters of the policy apart', () => {
    expect(pageOf().settings).toEqual([
      ['seed', '7'],
      ['cache.ttl', '5m'],
      ['cache.sizes', '[1,2]'],
      ['policy.name', 'x'],
      ['nothing', 'null'],
    ]);
  });

  it('says what was run', () => {
    expect(pageOf().about).toEqual([
      ['policy', 'claude-code/2026'],
      ['model', 'claude-sonnet-4-5'],
      ['transcript', 't1 (synthetic)'],
      ['seed', '7'],
    ]);
    expect(pageOf({ run: null }).about).toEqual([['model', 'claude-sonnet-4-5']]);
    expect(pageOf({ run: null, models: {} }).about).toEqual([]);
  });

  it('draws the window among the limits of the policy, once', () => {
    const policyInfo = {
      name: 'p',
      kind: 'analysed' as const,
      summary: '',
      layers: [],
      params: [],
      thresholds: [
        { name: 'warning', tokens: 5 },
        { name: 'window', tokens: 6 },
      ],
    };
    const page = pageRun({ name: 'r', entries, facts, digest: null, policyInfo });
    expect(page.thresholds).toEqual([
      { name: 'warning', tokens: 5 },
      { name: 'window', tokens: 200_000 },
    ]);
    const unknown = entries.map((entry) => (entry.type === 'thread' ? { ...entry, window: null } : entry));
    const other = pageRun({ name: 'r', entries: unknown, facts, digest: null, policyInfo });
    expect(other.thresholds).toEqual([{ name: 'warning', tokens: 5 }]);
    expect(other.cards.find(({ label }) => label === 'Peak context')?.note).toBe('tokens');
  });

  it('compares its cost with the recording where that has one', () => {
    const recorded = {
      calls: 2,
      mainCalls: 2,
      tokens: { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0 },
      mainPromptTokens: 0,
      peakContextTokens: null,
      costNano: { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 4e9, total: 4e9 },
      mainCostNano: 4e9,
      threads: [],
      estimatedOutputs: 0,
      unpriced: {},
      withoutUsage: 0,
      compactions: 0,
      summaries: 0,
    };
    const run = (bill: typeof recorded) => ({
      run: { ...facts.run!, transcript: { ...facts.run!.transcript, recorded: bill } },
    });
    expect(cardsOf(run(recorded))['As recorded']).toEqual([
      '$4.00',
      'this run: +50 % against the recording',
      'plain',
    ]);
    const free = { ...recorded, costNano: { ...recorded.costNano, output: 0, total: 0 } };
    expect(cardsOf(run(free))).not.toHaveProperty('As recorded');
    expect(cardsOf()).not.toHaveProperty('As recorded');
  });
});
