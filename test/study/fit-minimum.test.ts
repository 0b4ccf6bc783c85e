import { describe, expect, it } from 'vitest';
import { fitMinimum } from '../../src/study/fit-minimum.js';

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
});
