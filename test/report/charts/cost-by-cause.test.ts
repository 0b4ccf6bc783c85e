import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LogEntry } from '../../../src/core/run/run-log.js';
import { foldLog } from '../../../src/metrics/fold.js';
import { runCharts } from '../../../src/report/charts/run-charts.js';
import { forAll } from '../../helpers/for-all.js';
import { requestEntry, runEntry, threadEntry } from '../../helpers/log.js';

interface Row {
  readonly x: number;
  readonly cause: string;
  readonly usd: number;
}

/** Requests at given milliseconds that each pay whole dollars for output. */
function paying(...requests: readonly (readonly [number, number])[]): readonly LogEntry[] {
  return [
    runEntry(),
    threadEntry(),
    ...requests.map(([t, usd], i) => requestEntry({ t, n: i + 1, outputCost: usd * 1e9, latencyMs: 10 })),
  ];
}

/** What the picture stacks at each place of its axis, in dollars. */
function heights(entries: readonly LogEntry[]): ReadonlyMap<number, number> {
  const charts = runCharts({ entries, facts: foldLog(entries), policyInfo: null });
  const { data } = charts.find(({ name }) => name === 'cost-by-cause')!.spec;
  const { values } = data as { readonly values: readonly Row[] };
  const sums = new Map<number, number>();
  for (const { x, usd } of values) sums.set(x, (sums.get(x) ?? 0) + usd);
  return sums;
}

describe('cumulative cost by cause', () => {
  it('counts requests of one millisecond once', () => {
    const sums = heights(paying([0, 1], [5_000, 2], [5_000, 4], [9_000, 1]));
    expect([...sums]).toEqual([
      [0, 1],
      [5, 7],
      [9, 8],
      [9.01, 8],
    ]);
  });

  it('counts requests that the axis cannot tell apart once', () => {
    // The axis is in hours with four decimals, which is 0.36 s.
    const hour = 3_600_000;
    const sums = heights(paying([0, 1], [hour, 2], [hour + 100, 4], [2 * hour, 1]));
    expect([...sums]).toEqual([
      [0, 1],
      [1, 7],
      [2, 8],
    ]);
  });

  it('goes by time where the log does not', () => {
    const sums = heights(paying([0, 1], [9_000, 4], [5_000, 2]));
    expect([...sums.values()]).toEqual([1, 3, 7, 7]);
  });

  it('never falls, and ends at the total', () => {
    const request = fc.tuple(fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: 0, max: 9 }));
    forAll({ numRuns: 50 }, fc.array(request, { minLength: 1, maxLength: 1_500 }), (requests) => {
      const sums = [...heights(paying(...requests)).values()];
      for (let i = 1; i < sums.length; i++) expect(sums[i]).toBeGreaterThanOrEqual(sums[i - 1]!);
      expect(sums.at(-1)).toBeCloseTo(
        requests.reduce((sum, [, usd]) => sum + usd, 0),
        6,
      );
    });
  });
});
