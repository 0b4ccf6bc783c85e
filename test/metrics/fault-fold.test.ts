import { describe, expect, it } from 'vitest';
import type { EndEntry, LogEntry } from '../../src/core/run/run-log.js';
import { foldLog } from '../../src/metrics/fold.js';
import { FaultFold } from '../../src/metrics/layer-fold.js';
import { metricValues } from '../../src/metrics/registry.js';
import { endEntry, faultEntry, requestEntry, runEntry } from '../helpers/log.js';

const FAULT = faultEntry();

const LEAST = { leastFaults: 1, leastRefetchTokens: 300, leastRefetchCost: 2_000_000_000 };
const RUN = runEntry({ transcript: { ...runEntry().transcript, source: 'claude-code', carries: ['text'] } });

describe('the faults of a run', () => {
  it('are bounded by the least of any choice, which is nothing where nothing was missed', () => {
    const fault = { ...FAULT, cost: 9_000_000_000 };
    const names = ['faultsLeast', 'refetchTokensLeast', 'refetchUsdLeast', 'avoidableFaultShare'] as const;
    const valuesOf = (least: Partial<EndEntry>, ...faults: LogEntry[]) => {
      const sent = requestEntry();
      const values = metricValues(foldLog([RUN, sent, ...faults, endEntry([sent], least)]));
      return names.map((name) => values[name]);
    };
    expect(valuesOf(LEAST, fault, fault)).toEqual([1, 300, 2, 0.5]);
    // Its own faults come to less where a message that was cut counts as kept.
    expect(valuesOf(LEAST, { ...fault, tokens: 100, cost: 10 })).toEqual([1, 50, 5 / 1e9, 0]);
    expect(valuesOf({})).toEqual([0, 0, 0, null]);
    expect(valuesOf({}, fault)).toEqual([null, null, null, null]);
  });

  it('are quoted: the largest that nobody can fetch, then the most expensive of the others, ten of each', () => {
    const fold = new FaultFold();
    for (let i = 0; i < 12; i++) {
      fold.add({ ...FAULT, what: `line ${i}`, cost: 40 + i });
      fold.add({ ...FAULT, what: `said ${i}`, kind: 'lost', origin: 'user', cost: 0, tokens: 1_000 - i });
    }
    const tenOf = (name: string, first: number, step: number) =>
      Array.from({ length: 10 }, (_, i) => `${name} ${first + step * i}`);
    expect(fold.finish(null).quoted.map(({ what }) => what)).toEqual([
      ...tenOf('said', 0, 1),
      ...tenOf('line', 11, -1),
    ]);
  });

  it('cost what fetching brings by its chance, and at most all of it; what the recording reads again is paid already', () => {
    const fold = new FaultFold();
    fold.add(FAULT);
    fold.add({ ...FAULT, use: 'reread' });
    fold.add({ ...FAULT, kind: 'masked', chance: 1, weight: 1 });
    fold.add({ ...FAULT, kind: 'lost', origin: 'user' });
    expect(fold.finish(null)).toMatchObject({
      none: 4,
      all: 1,
      fitted: 2.5,
      refetchTokens: 1_500,
      refetchNano: 60,
      refetchMostNano: 80,
      lost: 0.5,
    });
  });
});
