import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { leastSquares } from '../../../src/analysis/limits/fit-weights.js';
import { forAll } from '../../helpers/for-all.js';

const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, value, i) => sum + value * b[i]!, 0);

describe('least squares without negative values', () => {
  it('finds the only solution', () => {
    const found = leastSquares(
      [
        [1, 0],
        [0, 2],
        [1, 1],
      ],
      [3, 8, 7],
    )!;
    expect(found[0]).toBeCloseTo(3);
    expect(found[1]).toBeCloseTo(4);
  });

  it('holds at zero what would be negative', () => {
    // Without the bound it is (2, −1); with it the first alone: (2 · 1 + 1 · 1) / (1 + 1).
    const found = leastSquares(
      [
        [1, 0],
        [1, 1],
      ],
      [2, 1],
    )!;
    expect(found[0]).toBeCloseTo(1.5);
    expect(found[1]).toBe(0);
  });

  it('takes back a value that it freed first', () => {
    // The first column is nearest to the values alone; with the others free it would be −3.
    const found = leastSquares(
      [
        [1, 1, 0],
        [1, 0, 1],
        [0.1, 0, 0],
      ],
      [1, 1, -0.3],
    )!;
    expect(found[0]).toBe(0);
    expect(found[1]).toBeCloseTo(1);
    expect(found[2]).toBeCloseTo(1);
  });

  it('finds nothing where columns say the same, or one is empty', () => {
    expect(
      leastSquares(
        [
          [1, 2],
          [2, 4],
          [3, 6],
        ],
        [1, 2, 3],
      ),
    ).toBeNull();
    expect(
      leastSquares(
        [
          [1, 0],
          [2, 0],
        ],
        [1, 2],
      ),
    ).toBeNull();
  });

  it('leaves no direction in which the error falls', () => {
    const value = fc.integer({ min: 0, max: 100 });
    const row = fc.tuple(value, value, value);
    const rows = fc.array(fc.tuple(row, value), { minLength: 4, maxLength: 12 });
    forAll(rows, (drawn) => {
      const matrix = drawn.map(([left]) => left);
      const right = drawn.map(([, own]) => own);
      const found = leastSquares(matrix, right);
      if (found === null) return;
      const rest = matrix.map((own, i) => right[i]! - dot(own, found));
      for (const [j, x] of found.entries()) {
        // The condition of Karush, Kuhn and Tucker: the slope is zero at a free value, and not positive at zero.
        const slope = dot(
          matrix.map((own) => own[j]!),
          rest,
        );
        expect(x).toBeGreaterThanOrEqual(0);
        expect(x > 0 ? Math.abs(slope) : slope).toBeLessThan(0.1);
      }
    });
  });
});
