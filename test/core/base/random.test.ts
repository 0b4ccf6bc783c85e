import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../src/core/base/random.js';

const COUNT = 20_000;
const random = createRandom('distributions');
const draws = (draw: () => number): readonly number[] => Array.from({ length: COUNT }, draw);
const momentOf = (values: readonly number[], power: number): number =>
  values.reduce((sum, value) => sum + value ** power, 0) / values.length;

describe('a generator', () => {
  it('draws from the standard normal distribution: mean 0, variance 1, fourth moment 3', () => {
    const values = draws(() => random.normal());
    // within four standard errors: the variances of x, x² and x⁴ are 1, 2 and 96
    for (const [power, moment, variance] of [
      [1, 0, 1],
      [2, 1, 2],
      [4, 3, 96],
    ] as const)
      expect(Math.abs(momentOf(values, power) - moment)).toBeLessThan(4 * Math.sqrt(variance / COUNT));
  });

  it('draws whole numbers from both ends and what lies between, each alike', () => {
    const values = draws(() => random.integer(3, 6));
    expect([...new Set(values)].sort()).toEqual([3, 4, 5, 6]);
    // the variance of four equally likely whole numbers is (4² − 1) ÷ 12
    expect(Math.abs(momentOf(values, 1) - 4.5)).toBeLessThan(4 * Math.sqrt(1.25 / COUNT));
  });
});
