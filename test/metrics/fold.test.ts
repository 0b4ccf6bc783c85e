import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BreakCause } from '../../src/core/run/break-causes.js';
import type { LogEntry } from '../../src/core/run/run-log.js';
import { CALL_PURPOSES } from '../../src/core/run/run-plan.js';
import { createMetricsFold, foldLog } from '../../src/metrics/fold.js';
import { metricValues } from '../../src/metrics/registry.js';
import { forAll } from '../helpers/for-all.js';
import {
  breakEntry,
  endEntry,
  layerEntry,
  requestEntry,
  runEntry,
  statusEntry,
  threadEntry,
} from '../helpers/log.js';

const sumOf = (parts: Readonly<Record<string, number>>): number =>
  Object.values(parts).reduce((a, b) => a + b, 0);

describe('requests and cost', () => {
  it('adds up tokens by purpose and over all', () => {
    const facts = foldLog([
      requestEntry({ n: 1, write5m: 100, input: 5, output: 7 }),
      requestEntry({ n: 2, read: 100, write1h: 20, output: 3, turn: 2 }),
      requestEntry({ n: 3, purpose: 'compact', read: 120, input: 10, output: 50, turn: 2 }),
    ]);
    expect(facts.requests).toMatchObject({
      calls: 3,
      promptTokens: 105 + 120 + 130,
      readTokens: 220,
      write5mTokens: 100,
      write1hTokens: 20,
      inputTokens: 15,
      outputTokens: 60,
    });
    expect(facts.byPurpose.main).toMatchObject({ calls: 2, promptTokens: 225, outputTokens: 10 });
    expect(facts.byPurpose.compact).toMatchObject({ calls: 1, promptTokens: 130 });
  });

  it('INV-5 splits the cost into carry, new, rewrites by cause and output', () => {
    const facts = foldLog([
      requestEntry({ writeCost: 1000, inputCost: 10, outputCost: 30 }),
      requestEntry({
        thread: 'sub',
        purpose: 'subagent',
        readCost: 100,
        writeCost: 500,
        outputCost: 40,
        rewriteCost: 450,
        cause: 'ttl-5m',
      }),
    ]);
    expect(facts.cost).toMatchObject({
      total: 1680,
      byCause: { carry: 100, new: 1000 + 10 + 50, 'rewrite:ttl-5m': 450, output: 70 },
      byThread: { main: 1040, sub: 640 },
    });
    expect(facts.cost.byLayer).toMatchObject({ main: 1040, subagent: 640, compact: 0 });
  });

  it('INV-5 refuses requests whose numbers contradict one another', () => {
    const good = requestEntry({ read: 10, readCost: 5, writeCost: 5, cause: 'model', rewriteCost: 5 });
    expect(() => foldLog([good])).not.toThrow();
    for (const change of [
      { prompt: 11 },
      { cost: 11 },
      { rewriteCost: 6 },
      { rewriteCost: -1 },
      { cause: null },
    ]) {
      expect(() => foldLog([{ ...good, ...change }])).toThrow(expect.objectContaining({ code: 'invariant' }));
    }
    const fraction = requestEntry({ readCost: 0.5 });
    expect(() => foldLog([fraction])).toThrow(expect.objectContaining({ code: 'invariant' }));
    const wrongEnd = endEntry([good], { cost: 9 });
    expect(() => foldLog([good, wrongEnd])).toThrow(expect.objectContaining({ code: 'invariant' }));
  });

  it('INV-5 every split adds up to the total for any requests', () => {
    const nano = fc.integer({ min: 0, max: 1e12 });
    const request = fc
      .record({
        thread: fc.constantFrom('main', 'a', '7', '__proto__'),
        purpose: fc.constantFrom(...CALL_PURPOSES),
        readCost: nano,
        writeCost: nano,
        inputCost: nano,
        outputCost: nano,
        part: fc.double({ min: 0, max: 1, noNaN: true }),
        cause: fc.constantFrom<BreakCause | null>(null, 'ttl-5m', 'compaction', 'server'),
      })
      .map(({ part, ...rest }) =>
        requestEntry({
          ...rest,
          rewriteCost: rest.cause === null ? 0 : Math.floor(part * (rest.writeCost + rest.inputCost)),
        }),
      );
    forAll(fc.array(request, { maxLength: 40 }), (requests) => {
      const { cost } = foldLog(requests);
      const total = requests.reduce((sum, { cost: one }) => sum + one, 0);
      expect([cost.total, sumOf(cost.byCause), sumOf(cost.byLayer), sumOf(cost.byThread)]).toEqual(
        Array(4).fill(total),
      );
    });
  });

  it('takes the peak context from prompt + output of the main loop alone', () => {
    const facts = foldLog([
      requestEntry({ read: 900, output: 50 }),
      requestEntry({ read: 940, output: 5 }),
      requestEntry({ read: 5000, purpose: 'compact' }),
      requestEntry({ read: 6000, purpose: 'subagent', thread: 'sub' }),
    ]);
    expect(facts.peakContextTokens).toBe(950);
    expect(foldLog([]).peakContextTokens).toBeNull();
  });

  it('MIC-3 leaves content that the server deleted out of the peak', () => {
    const facts = foldLog([
      requestEntry({ read: 20_000, output: 100, context: 13_100 }),
      requestEntry({ read: 13_500, output: 100 }),
    ]);
    expect(metricValues(facts).peakContextTokens).toBe(13_600);
  });

  it('averages kept content over the main loop alone, and over the requests that tell of it', () => {
    const facts = foldLog([
      requestEntry({ kept: 1 }),
      requestEntry({ kept: 0.5 }),
      requestEntry({ kept: null }),
      requestEntry({ kept: 0.1, purpose: 'subagent', thread: 'sub' }),
      requestEntry({ kept: 0.1, purpose: 'compact' }),
    ]);
    expect(metricValues(facts).contentRetention).toBe(0.75);
    expect(foldLog([requestEntry()]).contentRetention).toBeNull();
  });

  it('counts turns per main thread when the log was cut short, and trusts its end otherwise', () => {
    const cut: LogEntry[] = [
      threadEntry(),
      threadEntry({ thread: 'sub', parent: 'main' }),
      requestEntry({ turn: 1 }),
      requestEntry({ turn: 2 }),
      requestEntry({ turn: 9, thread: 'sub', purpose: 'subagent' }),
    ];
    expect(foldLog(cut)).toMatchObject({ complete: false, turns: 2 });
    expect(foldLog([...cut, endEntry(cut, { turns: 5 })])).toMatchObject({ complete: true, turns: 5 });
  });

  it('measures simulated time whatever the order of the entries', () => {
    const at = (t: number) => requestEntry({ t });
    expect(foldLog([at(50), at(90), at(20), at(40)]).durationMs).toBe(70);
    expect(foldLog([{ type: 'skipped', what: 'a', needs: 'b' }, at(5)]).durationMs).toBe(0);
  });

  it('measures simulated time from the first entry to the last', () => {
    expect(foldLog([threadEntry({ t: 1000 }), requestEntry({ t: 61_000 })]).durationMs).toBe(60_000);
    expect(foldLog([runEntry()]).durationMs).toBeNull();
  });
});

describe('layers', () => {
  it('LOP-3 adds up per layer what it did, saved and destroyed', () => {
    const facts = foldLog([
      layerEntry({ layer: 'microcompact', action: 'clear', saved: 20_000, cacheLost: 5_000 }),
      layerEntry({ layer: 'microcompact', action: 'clear', outcome: 'declined' }),
      layerEntry({ saved: 100_000, calls: 2, cost: 77, details: { restoredFiles: ['a', 'b'] } }),
      layerEntry({ outcome: 'failed', failure: 'prompt_too_long', calls: 4, cost: 3 }),
      layerEntry({ outcome: 'failed', failure: null }),
    ]);
    expect(facts.layers.microcompact).toEqual({
      triggers: 2,
      done: 1,
      failed: 0,
      declined: 1,
      saved: 20_000,
      notCarried: 0,
      prevented: 0,
      deferred: 0,
      cacheLost: 5_000,
      calls: 0,
      costNanoUsd: 0,
    });
    expect(facts.layers['full-compact']).toMatchObject({
      triggers: 3,
      done: 1,
      failed: 2,
      calls: 6,
      costNanoUsd: 80,
    });
    expect(facts.failures).toEqual({ prompt_too_long: 1, unnamed: 1 });
    expect(facts.restoredFiles).toBe(2);
  });

  it('counts compactions by kind; keeping notes is none', () => {
    const facts = foldLog([
      layerEntry({ turn: 1 }),
      layerEntry({ turn: 10, layer: 'session-memory' }),
      layerEntry({ turn: 11, layer: 'session-memory', action: 'extract' }),
      layerEntry({ turn: 20, trigger: 'reactive' }),
      layerEntry({ turn: 30, layer: 'reactive', trigger: 'reactive' }),
      layerEntry({ turn: 31, outcome: 'failed', failure: 'aborted' }),
    ]);
    expect(facts.compactions).toEqual({
      done: 4,
      full: 2,
      sessionMemory: 1,
      reactive: 2,
      failed: 1,
      chained: 0,
      thrash: 0,
      idle: 0,
      idleUnused: 0,
      idleUnusedNanoUsd: 0,
      regrown: 0,
      regrowCalls: 0,
    });
    expect(metricValues(facts)).toMatchObject({
      compactions: 4,
      fullCompactions: 2,
      sessionMemoryCompactions: 1,
      reactiveCompactions: 2,
      compactionFailures: 1,
    });
  });

  it('BRK-3 calls a compaction within one turn of the last one thrash, unless the user asked for it', () => {
    const thrash = (second: Parameters<typeof layerEntry>[0]): number =>
      foldLog([layerEntry({ turn: 5 }), layerEntry(second)]).compactions.thrash;
    expect(thrash({ turn: 6 })).toBe(1);
    expect(thrash({ turn: 7 })).toBe(0);
    expect(thrash({ turn: 6, trigger: 'manual' })).toBe(0);
    expect(thrash({ turn: 6, thread: 'other' })).toBe(0);
    expect(thrash({ turn: 50, details: { thrash: true } })).toBe(1);
  });

  it('BRK-4 counts compactions of a chain', () => {
    expect(
      foldLog([layerEntry(), layerEntry({ turn: 9, details: { chained: true } })]).compactions.chained,
    ).toBe(1);
  });

  it('BRK-1 tells trips of the breaker from the attempts it avoided', () => {
    const breaker = { type: 'breaker', t: 0, thread: 'main', turn: 1, failures: 3 } as const;
    const states = ['tripped', 'skipped', 'skipped', 'reset'] as const;
    expect(foldLog(states.map((state) => ({ ...breaker, state }))).breaker).toEqual({
      trips: 1,
      skips: 2,
      resets: 1,
    });
  });

  it('WIN-8 states the largest overshoot, and none when no layer tells of one', () => {
    expect(
      foldLog([layerEntry({ details: { overshoot: 40 } }), layerEntry({ details: { overshoot: 9 } })]),
    ).toMatchObject({ overshootTokens: 40 });
    expect(foldLog([layerEntry()]).overshootTokens).toBeNull();
  });

  it('C37 STO-1 counts stored results, not times of storing; stubs are none', () => {
    const stored = { layer: 'storage', action: 'store', details: { ids: 3 } } as const;
    const stubs = { layer: 'storage', action: 'stub', details: { ids: 5 } } as const;
    expect(
      foldLog([layerEntry(stored), layerEntry(stubs), layerEntry({ ...stored, details: { ids: 1 } })])
        .storedResults,
    ).toBe(4);
  });
});

it('counts what each rule of a policy file did', () => {
  const rule = (name: string, outcome: 'done' | 'failed' | 'declined') =>
    layerEntry({ layer: 'rules', action: 'clear', outcome, details: { rule: name } });
  const { rules } = foldLog([
    rule('clear', 'done'),
    rule('clear', 'done'),
    rule('clear', 'declined'),
    rule('drop', 'failed'),
    layerEntry({ details: { rule: 7 } }),
  ]);
  expect(rules).toEqual({
    clear: { done: 2, failed: 0, declined: 1 },
    drop: { done: 0, failed: 1, declined: 0 },
  });
});

it('counts calls, turns and cost of each conversation, and requests by model', () => {
  const facts = foldLog([
    threadEntry(),
    threadEntry({ thread: 'a', parent: 'main', label: 'helper', prefixTokens: 5, window: null }),
    requestEntry({ turn: 3, outputCost: 5, model: 'large' }),
    requestEntry({ n: 2, turn: 2, outputCost: 1, model: 'large' }),
    requestEntry({ n: 3, turn: 9, purpose: 'compact', outputCost: 70, model: 'small' }),
    requestEntry({ n: 4, thread: 'a', turn: 4, purpose: 'subagent', outputCost: 200, model: 'small' }),
    requestEntry({ n: 5, thread: 'unknown', turn: 1, outputCost: 3_000, model: 'small' }),
  ]);
  expect(facts.threads).toMatchObject([
    { id: 'main', parent: null, window: 200_000, calls: 3, turns: 3, costNanoUsd: 76 },
    { id: 'a', parent: 'main', label: 'helper', prefixTokens: 5, calls: 1, turns: 4, costNanoUsd: 200 },
    { id: 'unknown', parent: null, calls: 1, turns: 1, costNanoUsd: 3_000 },
  ]);
  expect(facts.models).toEqual({ large: 2, small: 3 });
  // turns of conversations that nobody started
  expect(facts.turns).toBe(4);
});

it('C22 adds up what hooks print into contexts, and files that are put back', () => {
  const hook = (contextTokens: number) =>
    layerEntry({ layer: 'hooks', action: 'print', details: { contextTokens } });
  const facts = foldLog([
    hook(30),
    hook(12),
    layerEntry({ details: { contextTokens: 500, restoredFiles: 2 } }),
    layerEntry({ details: { restoredFiles: 3 } }),
  ]);
  expect([facts.hookTokens, facts.restoredFiles]).toEqual([42, 5]);
  expect(foldLog([hook(1)]).restoredFiles).toBeNull();
  expect(foldLog([layerEntry({ layer: 'hooks', action: 'print' })]).hookTokens).toBe(0);
});

it('names a failure by what the layer says of it', () => {
  const failed = (failure: string | null) => layerEntry({ outcome: 'failed', failure });
  expect(foldLog([failed('too_long'), failed('too_long'), failed(null)]).failures).toEqual({
    too_long: 2,
    unnamed: 1,
  });
});

it('WIN-5 takes what clients show from status entries and the requests after them', () => {
  const { status } = foldLog([
    threadEntry(),
    statusEntry(),
    requestEntry({ estimatedTokens: 95 }),
    requestEntry({ n: 2, estimatedTokens: 80 }),
  ]);
  expect(status).toMatchObject({
    warning: { turns: 2, times: 1, firstRequest: 1, leftAt: null },
    error: { turns: 0, times: 0 },
    leastPercentLeft: 5,
  });
});

it('K14 takes the interval of drawn breaks from the end of the log', () => {
  const entries = [requestEntry({ outputCost: 1_000_000 })];
  const chance = { lost: 200_000, expected: 50_000, low: 0, high: 300_000 };
  const cost = { expected: 850_000, low: 776_000, high: 1_133_000 };
  expect(foldLog([...entries, endEntry(entries, { chance })]).costInterval).toEqual(cost);
  const compacted = [layerEntry(), ...entries];
  // 8 % instead of 3 % where a compaction was made
  expect(foldLog([...compacted, endEntry(compacted, { chance })]).costInterval?.low).toBe(736_000);
});

it('BRD-3 keeps announced breaks apart from the others', () => {
  const facts = foldLog([
    breakEntry({ lostTokens: 3000 }),
    breakEntry({ lostTokens: 4000 }),
    breakEntry({ cause: 'compaction', expected: true, lostTokens: 90_000 }),
  ]);
  expect(facts.breaks).toEqual({
    unexpected: { 'ttl-5m': { count: 2, lostTokens: 7000 } },
    expected: { compaction: { count: 1, lostTokens: 90_000 } },
  });
});

it('counts refusals, lost calls, notices and keeps skipped rows and warnings', () => {
  const facts = foldLog([
    {
      type: 'refused',
      t: 0,
      thread: 'main',
      turn: 1,
      purpose: 'main',
      status: 400,
      error: 'prompt_too_long',
      message: '',
      prompt: 9,
      limit: 8,
    },
    { type: 'lost', t: 0, thread: 'main', calls: 4, reason: 'refused' },
    { type: 'notice', t: 0, thread: 'main', what: 'resume', message: '', details: {} },
    { type: 'skipped', what: 'dreaming', needs: 'timestamps' },
    { type: 'warning', code: 'w', message: 'm', remedy: null, count: 2 },
    { type: 'breakdown', thread: 'main', breakdown: {}, estimator: { heuristic: 80, true: 100, ratio: 0.8 } },
    { type: 'breakdown', thread: 'sub', breakdown: {}, estimator: { heuristic: 10, true: 50, ratio: 0.2 } },
  ]);
  expect(facts).toMatchObject({
    requestsRefused: 1,
    refusals: { prompt_too_long: 1 },
    callsLost: 4,
    lostReason: 'refused',
    notices: { resume: 1 },
    estimator: { heuristic: 90, true: 150 },
  });
  expect([facts.skipped.length, facts.warnings.length, facts.breakdowns.length]).toEqual([1, 1, 2]);
});

it('a run that shares its requests with another has its own head, warnings and overshoot, and the sums of both', () => {
  const requests = [threadEntry(), requestEntry({ n: 1, write5m: 100, writeCost: 3 })];
  const limits = (tokens: number, seed: number): LogEntry[] => [
    runEntry({ seed }),
    statusEntry({ estimatedTokens: tokens, limit: 1_000 }),
    layerEntry({ action: 'compact', details: { overshoot: tokens } }),
  ];
  const fold = createMetricsFold();
  fold.resume(foldLog([...limits(10, 1), ...requests]));
  for (const entry of limits(700, 2)) fold.write(entry);
  expect(fold.finish()).toEqual(foldLog([...limits(700, 2), ...requests]));
});
