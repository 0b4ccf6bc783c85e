import { expect, it } from 'vitest';
import { recordedCosts } from '../../../../src/cli/runs/recorded-costs.js';
import type { RecordedBill } from '../../../../src/core/run/recorded-bill.js';

function bill(usd: number, unpriced: RecordedBill['unpriced'] = {}): RecordedBill {
  const total = usd * 1_000_000_000;
  return {
    calls: 2,
    mainCalls: 2,
    tokens: { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0 },
    mainPromptTokens: 0,
    peakContextTokens: null,
    costNano: { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: total, total },
    mainCostNano: total,
    threads: [],
    estimatedOutputs: 0,
    unpriced,
    withoutUsage: 0,
    compactions: 0,
    summaries: 0,
  };
}

it('recordings are added up as far as they tell, and it is said how many do not', () => {
  const found = recordedCosts([
    { name: 'a', bill: bill(1) },
    { name: 'b', bill: bill(2) },
    { name: 'c', bill: null },
  ])!;
  expect(found.costUsd).toBe(3);
  expect(found.each).toEqual([
    { name: 'a', costUsd: 1 },
    { name: 'b', costUsd: 2 },
    { name: 'c', costUsd: null },
  ]);
  expect(found.notes.at(-1)).toBe('as recorded: 1 of 3 sessions carries no usage');
  const silent = [1, 2].map((i) => ({ name: `s${i}`, bill: null }));
  expect(recordedCosts([{ name: 'a', bill: bill(1) }, ...silent])?.notes.at(-1)).toContain(
    '2 of 3 sessions carry',
  );
  expect(recordedCosts([{ name: 'a', bill: bill(1) }])?.notes.join()).not.toContain('no usage');
  expect(recordedCosts(silent)).toBeNull();
  expect(recordedCosts([{ name: 'a', bill: bill(1, { odd: 2 }) }])?.costUsd).toBeNull();
});
