import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RiskTally } from '../../src/metrics/cost-interval.js';
import { foldLog } from '../../src/metrics/fold.js';
import { metricValues } from '../../src/metrics/registry.js';
import type { LogEntry } from '../../src/model/run-log.js';
import { endEntry, requestEntry, runEntry, threadEntry } from '../helpers/log.js';

interface Risk {
  readonly chance: number;
  readonly cost: number;
}

const intervalOf = (cost: number, risks: readonly Risk[], compactions: 'none' | 'some' = 'none') => {
  const tally = new RiskTally();
  for (const risk of risks) tally.add(risk);
  return tally.interval(cost, compactions)!;
};

const COST = 1_000_000;

describe('the interval of a cost', () => {
  it('K14 is none where no request carries a risk', () => {
    expect(new RiskTally().interval(COST, 'none')).toBeNull();
  });

  it('K14 one break of chance p and cost c: p × c on average, c at the upper end once p is above 5 %', () => {
    // 0.06 × 500,000 = 30,000; without a break 94 of 100, so the 95th costs 500,000 more; 3 % for everything else.
    expect(intervalOf(COST, [{ chance: 0.06, cost: 500_000 }])).toEqual({
      expected: 1_030_000,
      low: 970_000,
      high: 1_545_000,
    });
    // 96 of 100 have none: the upper end is that of a session without one, but never below the average.
    expect(intervalOf(COST, [{ chance: 0.04, cost: 100_000 }])).toEqual({
      expected: 1_004_000,
      low: 970_000,
      high: 1_030_000,
    });
    expect(intervalOf(COST, [{ chance: 0.04, cost: 5_000_000 }])).toMatchObject({
      expected: 1_200_000,
      high: 1_200_000,
    });
  });

  it('K14 two independent breaks of one cost: the 95th of a hundred sessions has one of them', () => {
    // None: 0.9 × 0.9 = 81 %, one: 18 %, both: 1 %.
    const { expected, high } = intervalOf(COST, [
      { chance: 0.1, cost: 200_000 },
      { chance: 0.1, cost: 200_000 },
    ]);
    expect(expected).toBe(1_040_000);
    expect(high / 1.03).toBeGreaterThanOrEqual(1_200_000 - 1_000);
    expect(high / 1.03).toBeLessThanOrEqual(1_200_000 + 1_000);
  });

  it('K14 is wider where a compaction was made', () => {
    expect(intervalOf(COST, [{ chance: 0.01, cost: 10 }], 'some')).toMatchObject({
      low: 920_000,
      high: 1_080_000,
    });
  });

  it('K14 rare breaks count for the average alone', () => {
    expect(
      intervalOf(
        COST,
        Array.from({ length: 100 }, () => ({ chance: 0.0004, cost: 250_000 })),
      ),
    ).toEqual({
      expected: 1_010_000,
      low: 970_000,
      high: 1_030_000,
    });
  });
});

const risks = fc.array(
  fc.record({
    chance: fc.constantFrom(0.0004, 0.013, 0.04, 0.2, 0.7),
    cost: fc.integer({ min: 0, max: 2_000_000 }),
  }),
  { minLength: 1, maxLength: 40 },
);

describe('every interval', () => {
  it('K14 holds the cost and what is expected', () => {
    fc.assert(
      fc.property(fc.nat(10_000_000), risks, (cost, list) => {
        const { low, expected, high } = intervalOf(cost, list);
        expect(low).toBeLessThanOrEqual(cost);
        expect(cost).toBeLessThanOrEqual(expected);
        expect(expected).toBeLessThanOrEqual(high);
      }),
    );
  });

  it('K14 grows with the chance of each break', () => {
    fc.assert(
      fc.property(risks, fc.nat(39), fc.double({ min: 0, max: 1, noNaN: true }), (list, at, more) => {
        const changed = list.map((risk, i) =>
          i === at % list.length ? { ...risk, chance: risk.chance + (1 - risk.chance) * more } : risk,
        );
        const [before, after] = [intervalOf(COST, list), intervalOf(COST, changed)];
        expect(after.expected).toBeGreaterThanOrEqual(before.expected);
        // Costs lie on a grid of 511 steps; each break may fall between two of them.
        const total = changed.reduce((sum, { cost }) => sum + cost, 0);
        expect(after.high).toBeGreaterThanOrEqual(before.high - (total / 511) * (list.length + 1));
      }),
    );
  });
});

describe('the metrics', () => {
  const logOf = (change: Partial<Parameters<typeof requestEntry>[0]>): LogEntry[] => {
    const body = [requestEntry({ n: 1, readCost: 1_000_000_000, read: 10, ...change })];
    return [runEntry(), threadEntry(), ...body, endEntry(body)];
  };

  it('K14 give the interval in dollars', () => {
    const values = metricValues(foldLog(logOf({ risk: { chance: 0.06, cost: 500_000_000 } })));
    expect(values).toMatchObject({
      costUsd: 1,
      costExpectedUsd: 1.03,
      costLowUsd: 0.97,
      costHighUsd: 1.545,
      costUsdUnseen: 0,
    });
  });

  it('K14 give the cost and no interval where no risk is known', () => {
    expect(metricValues(foldLog(logOf({})))).toMatchObject({
      costUsd: 1,
      costExpectedUsd: 1,
      costLowUsd: null,
      costHighUsd: null,
    });
  });
});
