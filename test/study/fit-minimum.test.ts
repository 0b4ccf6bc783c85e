import { describe, expect, it } from 'vitest';
import { fitMinimum } from '../../src/cli/commands/study/sweep.js';

describe('fitMinimum', () => {
  it('finds the bottom of a parabola between its points', () => {
    const points = [1, 2, 3, 4, 5, 6].map((x) => ({ x, y: 100 + 0.2 * (x - 3.4) ** 2 }));
    const found = fitMinimum(points, 'linear')!;
    expect(found.x).toBeCloseTo(3.4, 6);
    expect(found.y).toBeCloseTo(100, 6);
  });

  it('finds the minimum of a + b x + c / x over log steps', () => {
    const points = Array.from({ length: 21 }, (_, i) => 10 * 1.2 ** i).map((x) => ({
      x,
      y: 500 + x + 6_400 / x,
    }));
    expect(fitMinimum(points, 'log')!.x / 80).toBeCloseTo(1, 1);
  });

  it('finds none where the smallest value lies at an end or there are too few points', () => {
    expect(
      fitMinimum(
        [1, 2, 3, 4, 5].map((x) => ({ x, y: 100 + x })),
        'linear',
      ),
    ).toBeNull();
    expect(
      fitMinimum(
        [
          { x: 1, y: 1 },
          { x: 2, y: 1 },
        ],
        'linear',
      ),
    ).toBeNull();
    expect(fitMinimum([], 'log')).toBeNull();
  });

  it('is the parabola of least squares: noise that no parabola can follow does not move it', () => {
    // -1, 3, -3, 1 over equal steps is orthogonal to every parabola
    const noise = [-1, 3, -3, 1];
    const points = noise.map((part, i) => ({ x: i + 1, y: 100 + 0.5 * (i + 1 - 2.2) ** 2 + 0.05 * part }));
    const found = fitMinimum(points, 'linear')!;
    expect(found.x).toBeCloseTo(2.2, 9);
    expect(found.y).toBeCloseTo(100, 9);
    const log = noise.map((part, i) => ({ x: 2 ** i, y: 100 + 0.5 * (i - 1.2) ** 2 + 0.05 * part }));
    expect(Math.log2(fitMinimum(log, 'log')!.x)).toBeCloseTo(1.2, 9);
  });

  it('takes the points within 5 % of the smallest alone, and those that have a logarithm', () => {
    const points = [1, 2, 3, 4].map((x) => ({ x, y: 100 + (x - 2.5) ** 2 }));
    // 1.05 × 100.25 is 105.26
    const far = { x: 9, y: 105.3 };
    expect(fitMinimum([...points, far], 'linear')).toMatchObject({
      x: expect.closeTo(2.5, 9),
      points: 4,
    });
    expect(fitMinimum([...points, { ...far, y: 105.2 }], 'linear')?.points).toBe(5);
    expect(fitMinimum([...points, { x: 0, y: 99 }, { x: 5, y: Number.NaN }], 'log')?.points).toBe(4);
    expect(fitMinimum([...points.slice(1), { x: 0, y: 101 }], 'log')).toBeNull();
    const debts = [1, 2, 3, 4].map((x) => ({ x, y: -100 + (x - 2.5) ** 2 }));
    expect(fitMinimum(debts, 'linear')).toMatchObject({
      x: expect.closeTo(2.5, 9),
      y: expect.closeTo(-100, 9),
    });
  });

  it('finds none in points at one place, on a line or below a hill', () => {
    const at = (pairs: readonly (readonly [number, number])[]) =>
      fitMinimum(
        pairs.map(([x, y]) => ({ x, y })),
        'linear',
      );
    expect(
      at([
        [3, 100],
        [3, 101],
        [3, 102],
        [3, 103],
      ]),
    ).toBeNull();
    expect(
      at([
        [1, 101],
        [2, 101],
        [1, 102],
        [2, 102],
      ]),
    ).toBeNull();
    expect(
      at([
        [1, 100],
        [2, 102],
        [3, 102],
        [4, 100],
      ]),
    ).toBeNull();
  });
});
