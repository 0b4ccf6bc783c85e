import { describe, expect, it } from 'vitest';
import { sum } from '../../src/base/stats.js';
import type { LogEntry, RequestEntry } from '../../src/model/run-log.js';
import { costSeries } from '../../src/report/charts/cost-series.js';
import { createRunSample, type SampledLog } from '../../src/report/run-sample.js';
import { layerEntry, requestEntry, runEntry, threadEntry } from '../helpers/log.js';

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
    expect(costSeries(shown, leftOut).points.at(-1)?.total).toBe(10_000);
    expect(shown.map((entry) => leftOut!.numbers.get(entry))).toEqual(shown.map(({ n }) => n));
  });

  it('thins events that are many and keeps those that are rare', () => {
    const many = Array.from({ length: 3_000 }, () => layerEntry({ action: 'clear' }));
    const rare = layerEntry({ action: 'compact' });
    const { entries, leftOut } = sampleOf([...many.slice(0, 1_500), rare, ...many.slice(1_500)], 100, 500);
    expect(entries).toContain(rare);
    expect(entries.length).toBeLessThanOrEqual(501);
    expect(leftOut?.events).toBe(3_001);
  });
});
