import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RecordedBill } from '../../src/core/run/recorded-bill.js';
import type { LogEntry } from '../../src/core/run/run-log.js';
import { chanceInterval, RiskTally } from '../../src/metrics/cost-interval.js';
import { foldLog } from '../../src/metrics/fold.js';
import { metricValues } from '../../src/metrics/registry.js';
import { forAll } from '../helpers/for-all.js';
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

  it('K14 the upper end is the 95th of a hundred sessions, as every way the breaks can fall says', () => {
    const list = Array.from({ length: 10 }, (_, i) => ({
      chance: 0.05 + 0.03 * i,
      cost: 10_000 + 7_300 * i,
    }));
    const ways = list.reduce<readonly { readonly share: number; readonly cost: number }[]>(
      (before, { chance, cost }) =>
        before.flatMap((way) => [
          { share: way.share * (1 - chance), cost: way.cost },
          { share: way.share * chance, cost: way.cost + cost },
        ]),
      [{ share: 1, cost: 0 }],
    );
    const shareUpTo = (cost: number): number =>
      ways.reduce((sum, way) => sum + (way.cost <= cost ? way.share : 0), 0);
    const exact = Math.min(...ways.map(({ cost }) => cost).filter((cost) => shareUpTo(cost) >= 0.95));
    const most = list.reduce((sum, { cost }) => sum + cost, 0);
    const { high } = intervalOf(COST, list);
    // on a grid of 511 steps
    expect(Math.abs(high / 1.03 - COST - exact)).toBeLessThan((2 * most) / 511);
  });

  it('K14 four hundred breaks of two in a hundred: thirteen of them at the upper end', () => {
    // The sum of the binomial distribution of 400 and 0.02 is 0.938 at 12 and 0.967 at 13.
    const list = Array.from({ length: 400 }, () => ({ chance: 0.02, cost: 10_000 }));
    const { expected, high } = intervalOf(COST, list);
    expect(expected).toBe(1_080_000);
    expect(Math.abs(high / 1.03 - 1_130_000)).toBeLessThan(3_000);
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
        // Eight of a hundred sessions have one, which would be above the upper end.
        Array.from({ length: 200 }, () => ({ chance: 0.0004, cost: 250_000 })),
      ),
    ).toEqual({
      expected: 1_020_000,
      low: 970_000,
      high: 1_030_000,
    });
  });

  it('K14 breaks of one in a thousand requests count in full', () => {
    // None in 0.999^60 = 94.2 %: the 95th of a hundred sessions has one.
    const list = Array.from({ length: 60 }, () => ({ chance: 0.001, cost: 250_000 }));
    const { expected, high } = intervalOf(COST, list);
    expect(expected).toBe(1_015_000);
    expect(Math.abs(high / 1.03 - 1_250_000)).toBeLessThan(2_000);
  });

  it('K14 of a run with drawn breaks: without what they cost, chance between its ends, the error around both', () => {
    const chance = { lost: 200_000, expected: 50_000, low: 10_000, high: 300_000 };
    // 1,000,000 − 200,000 is what was found besides; 3 % off without a compaction, 8 % with one
    expect(chanceInterval(COST, chance, 'none')).toEqual({
      expected: 850_000,
      low: 785_700,
      high: 1_133_000,
    });
    expect(chanceInterval(COST, chance, 'some')).toEqual({
      expected: 850_000,
      low: 745_200,
      high: 1_188_000,
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
    forAll(fc.nat(10_000_000), risks, (cost, list) => {
      const { low, expected, high } = intervalOf(cost, list);
      expect(low).toBeLessThanOrEqual(cost);
      expect(cost).toBeLessThanOrEqual(expected);
      expect(expected).toBeLessThanOrEqual(high);
    });
  });

  it('K14 grows with the chance of each break', () => {
    forAll(risks, fc.nat(39), fc.double({ min: 0, max: 1, noNaN: true }), (list, at, more) => {
      const changed = list.map((risk, i) =>
        i === at % list.length ? { ...risk, chance: risk.chance + (1 - risk.chance) * more } : risk,
      );
      const [before, after] = [intervalOf(COST, list), intervalOf(COST, changed)];
      expect(after.expected).toBeGreaterThanOrEqual(before.expected);
      // Costs lie on a grid of 511 steps; each break may fall between two of them.
      const total = changed.reduce((sum, { cost }) => sum + cost, 0);
      expect(after.high).toBeGreaterThanOrEqual(before.high - (total / 511) * (list.length + 1));
    });
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
      backgroundCostUsd: 0,
    });
  });

  it('K14 hold the whole cost of a recording, with a request for notes that it does not hold', () => {
    // One dollar was recorded and half a dollar went for notes, whose cost is not in doubt.
    const notes = requestEntry({ n: 2, purpose: 'session_memory', readCost: 500_000_000, read: 10 });
    const [first] = logOf({ risk: { chance: 0.06, cost: 500_000_000 } }).filter(
      ({ type }) => type === 'request',
    );
    const body = [first!, notes] as Parameters<typeof endEntry>[0];
    const run = runEntry();
    const recorded = {
      calls: 1,
      costNano: { total: 1_000_000_000 },
      unpriced: {},
      summaries: 0,
    } as RecordedBill;
    const log = [
      { ...run, transcript: { ...run.transcript, recorded } },
      threadEntry(),
      ...body,
      endEntry(body),
    ];
    expect(metricValues(foldLog(log))).toMatchObject({
      costUsd: 1.5,
      costExpectedUsd: 1.53,
      costLowUsd: 1.47,
      costHighUsd: 2.045,
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
