import { describe, expect, it } from 'vitest';
import { rangeAround, zoomed } from '../../../../src/report/page/widgets/scale.js';
import { START } from '../../../../src/report/page/widgets/store.js';

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

it('a place in a long run is shown with forty requests on either side, a short run whole', () => {
  const model = (requests: number) => ({
    domain: () => [0.5, requests + 0.5] as const,
    number: (index: number) => index + 1,
  });
  expect(rangeAround(model(160), 80)).toBeNull();
  expect(rangeAround(model(161), 79)).toEqual([40, 120]);
  expect(rangeAround(model(161), 9)).toEqual([0.5, 50]);
  expect(rangeAround(model(161), 150)).toEqual([111, 161.5]);
});
