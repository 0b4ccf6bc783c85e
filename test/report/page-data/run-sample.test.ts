import { describe, expect, it } from 'vitest';
import { sum } from '../../../src/core/base/stats.js';
import type { RequestEntry } from '../../../src/core/run/log-entries.js';
import type { LogEntry } from '../../../src/core/run/run-log.js';
import { withLeftOut } from '../../../src/report/page-data/left-out.js';
import { createRunModel } from '../../../src/report/page-data/run-model.js';
import { createRunSample, type SampledLog } from '../../../src/report/page-data/run-sample.js';
import {
  breakEntry,
  crossingEntry,
  layerEntry,
  requestEntry,
  runEntry,
  threadEntry,
} from '../../helpers/log.js';

function sampleOf(entries: readonly LogEntry[], maxRequests: number, maxEvents: number): SampledLog {
  const sample = createRunSample(maxRequests, maxEvents);
  for (const entry of entries) sample.write(entry);
  return sample.finish();
}

const requestsOf = ({ entries }: SampledLog): readonly RequestEntry[] =>
  entries.flatMap((entry) => (entry.type === 'request' ? [entry] : []));

/** Requests a second apart, each of 10 nano-dollars, with one context far above the others and one below. */
function requests(count: number): readonly RequestEntry[] {
  return Array.from({ length: count }, (_, i) =>
    requestEntry({
      n: i + 1,
      t: i * 1_000,
      read: 7,
      input: 3,
      readCost: 4,
      inputCost: 6,
      context: i === 137 ? 9_999 : i === 641 ? 1 : 100 + (i % 7),
    }),
  );
}

describe('the sample of a log', () => {
  it('is the whole log where it is not long', () => {
    const log = [runEntry(), threadEntry(), ...requests(100)];
    expect(sampleOf(log, 100, 100)).toEqual({ entries: log, leftOut: null });
  });

  it('keeps no more requests than it may, whatever the length of the run', () => {
    for (const count of [101, 1_000, 20_000])
      expect(requestsOf(sampleOf(requests(count), 100, 100)).length).toBeLessThanOrEqual(100);
  });

  it('keeps the first, the last, the largest and the smallest context', () => {
    const shown = requestsOf(sampleOf(requests(1_000), 100, 100)).map(({ n }) => n);
    expect(shown).toEqual(expect.arrayContaining([1, 138, 642, 1_000]));
  });

  it('counts everything: sums over a part are those of the run', () => {
    const { leftOut, ...log } = sampleOf(requests(1_000), 100, 100);
    const shown = requestsOf({ leftOut, ...log });
    expect(leftOut?.requests).toBe(1_000);
    expect(shown.length + sum([...leftOut!.before.values()].map((sums) => sums.requests))).toBe(1_000);
    expect(shown.map((entry) => leftOut!.numbers.get(entry))).toEqual(shown.map(({ n }) => n));
    const model = createRunModel({ threads: [], ...withLeftOut(shown, leftOut) });
    expect(sum(model.paid('time').map((column) => column[shown.length - 1]!))).toBe(10_000);
    expect(model.sums(null, 'request')).toMatchObject({ prompt: 10_000, read: 7_000, cost: 10_000 });
  });

  it('thins events that are many and keeps those that are rare', () => {
    const many = Array.from({ length: 3_000 }, () => layerEntry({ action: 'clear' }));
    const rare = layerEntry({ action: 'compact' });
    const { entries, leftOut } = sampleOf([...many.slice(0, 1_500), rare, ...many.slice(1_500)], 100, 500);
    expect(entries).toContain(rare);
    expect(entries.length).toBeLessThanOrEqual(501);
    expect(leftOut?.events).toBe(3_001);
  });

  it('keeps of each four requests the one with least and the one with most context', () => {
    const contexts = [5, 9, 1, 5, 5, 5, 2, 8, 7];
    const log = contexts.map((context, i) => requestEntry({ n: i + 1, context }));
    // the first, 9 and 1 of the first four, the first 5 is no extreme but the first; 2 and 8 of the second; the last
    expect(requestsOf(sampleOf(log, 8, 100)).map(({ n }) => n)).toEqual([1, 2, 3, 7, 8, 9]);
    expect(requestsOf(sampleOf(log, 9, 100))).toHaveLength(9);
  });

  it('tells with each request that is shown what was left out before it', () => {
    const log = [5, 9, 1, 5, 5, 5, 2, 8, 7].map((context, i) =>
      requestEntry({ n: i + 1, context, read: 10, input: i, readCost: 3, rewriteCost: 1, cause: 'model' }),
    );
    const { leftOut } = sampleOf(log, 8, 100);
    const { before, numbers } = leftOut!;
    const rows = [...before].map(([entry, sums]) => [
      numbers.get(entry),
      sums.requests,
      sums.prompt,
      sums.read,
    ]);
    expect(rows).toEqual([
      // the fourth to the sixth: 10 read each, 3 + 4 + 5 not
      [7, 3, 42, 30],
    ]);
    expect(leftOut!.before.get(log[6]!)).toMatchObject({ readCost: 9, rewriteCosts: { model: 3 } });
  });

  it('keeps a hundred events of a kind whole, and every second one of a hundred and one', () => {
    const events = (count: number, action: string) =>
      Array.from({ length: count }, (_, i) => layerEntry({ action, turn: i }));
    const { entries } = sampleOf([...events(100, 'clear'), ...events(101, 'snip')], 100, 200);
    const kept = entries.flatMap((entry) => (entry.type === 'layer' ? [entry] : []));
    expect(kept.filter(({ action }) => action === 'clear')).toHaveLength(100);
    expect(kept.filter(({ action }) => action === 'snip').map(({ turn }) => turn)).toEqual(
      Array.from({ length: 51 }, (_, i) => 2 * i),
    );
  });

  it('tells kinds of events apart by layer, action and outcome, cause, or what was noticed', () => {
    const rare: readonly LogEntry[] = [
      layerEntry({ action: 'compact' }),
      layerEntry({ outcome: 'failed' }),
      layerEntry({ layer: 'storage' }),
      breakEntry({ cause: 'model' }),
      { type: 'notice', t: 0, thread: 'main', what: 'rare', message: '', details: {} },
      crossingEntry(),
    ];
    const many: readonly LogEntry[] = Array.from({ length: 120 }, () => [
      layerEntry({ action: 'clear' }),
      breakEntry({ cause: 'ttl-5m' }),
      { type: 'notice' as const, t: 0, thread: 'main', what: 'often', message: '', details: {} },
    ]).flat();
    const { entries, leftOut } = sampleOf([requestEntry(), ...many, ...rare], 100, 365);
    for (const entry of rare) expect(entries).toContain(entry);
    // the request, half of three times 120, and the rare ones
    expect(entries).toHaveLength(1 + 180 + rare.length);
    expect(leftOut?.events).toBe(366);
  });

  it('counts how often a layer made the context smaller, of what is left out too', () => {
    const events = Array.from({ length: 300 }, (_, i) =>
      layerEntry({ saved: i % 3 === 0 ? 5 : 0, outcome: i % 2 === 0 ? 'done' : 'failed' }),
    );
    // every sixth is done and saves something
    expect(sampleOf(events, 100, 100).leftOut?.shrunk).toBe(50);
  });

  it('shows a hundred thousand requests and forty thousand events unless told otherwise', () => {
    const first = requestEntry();
    const many = Array.from({ length: 100_000 }, (_, n) => ({ ...first, n }));
    const whole = createRunSample();
    for (const entry of many) whole.write(entry);
    for (let i = 0; i < 40_000; i++) whole.write(crossingEntry());
    expect(whole.finish().leftOut).toBeNull();
    whole.write(crossingEntry());
    expect(whole.finish().leftOut).toMatchObject({ requests: 100_000, events: 40_001 });
    const long = createRunSample();
    for (const entry of [...many, first]) long.write(entry);
    expect(long.finish().leftOut?.requests).toBe(100_001);
  });
});
