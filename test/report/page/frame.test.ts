import { describe, expect, it } from 'vitest';
import { zoomed } from '../../../src/report/page/frame.js';
import { START } from '../../../src/report/page/store.js';

const WHOLE = [0, 100] as const;
const zoom = (range: readonly [number, number] | null, factor: number, about: number | null = null) =>
  zoomed({ ...START, range }, WHOLE, factor, about);

describe('zooming an axis', () => {
  it('is about the middle of what is shown, or about a place, which stays where it is', () => {
    expect(zoom(null, 2)).toEqual([25, 75]);
    expect(zoom([20, 60], 2)).toEqual([30, 50]);
    expect(zoom(null, 2, 20)).toEqual([10, 60]);
    expect(zoom([20, 60], 0.5)).toEqual([0, 80]);
  });

  it('ends at the ends of the axis, and shows all of it where nothing is left out', () => {
    expect(zoom([60, 100], 0.5)).toEqual([20, 100]);
    expect(zoom([0, 40], 0.8)).toEqual([0, 50]);
    expect(zoom([20, 80], 0.5)).toBeNull();
    expect(zoom(null, 1)).toBeNull();
    expect(zoom([0.25, 100], 1)).toEqual([0.25, 100]);
    expect(zoom([0.1, 100], 1)).toBeNull();
  });
});
