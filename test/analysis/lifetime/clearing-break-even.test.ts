import { describe, expect, it } from 'vitest';
import { clearingBreakEven } from '../../../src/analysis/lifetime/rule-costs.js';

describe('when clearing has paid for itself', () => {
  it('is after this many requests as reading what is gone costs what writing the rest again does', () => {
    // 100,000 tokens are written for 3.75 in place of 0.30: $0.345. Each request reads 50,000 tokens less: $0.015.
    const prices = { cacheWrite5m: 3.75, cacheRead: 0.3 };
    expect(clearingBreakEven(prices, { rewritten: 100_000, freed: 50_000 })).toBeCloseTo(23, 10);
    expect(clearingBreakEven(prices, { rewritten: 0, freed: 50_000 })).toBe(0);
  });

  it('is never where nothing is freed or reads are free', () => {
    const prices = { cacheWrite5m: 3.75, cacheRead: 0.3 };
    expect(clearingBreakEven(prices, { rewritten: 100_000, freed: 0 })).toBeNull();
    expect(clearingBreakEven({ ...prices, cacheRead: 0 }, { rewritten: 100_000, freed: 50_000 })).toBeNull();
  });
});
