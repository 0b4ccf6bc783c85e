import { describe, expect, it } from 'vitest';
import {
  axisText,
  scaleOf,
  spanOf,
  ticksOf,
  tickText,
} from '../../../../src/report/page/study/point-axes.js';
import type { StudyAxis } from '../../../../src/report/page-data/page-data.js';

const axis = (parts: Partial<StudyAxis> = {}): StudyAxis => ({
  title: 'a',
  unit: null,
  scale: 'linear',
  ...parts,
});
const LOG = axis({ scale: 'log' });
const NAMES = axis({ names: ['off', 'small', 'large'] });

describe('the words of an axis of points', () => {
  it('are names, values in their unit, or numbers of at most three decimals', () => {
    expect([0, 2, 3].map((value) => axisText(NAMES, value))).toEqual(['off', 'large', '']);
    expect(axisText(axis(), 0.12345)).toBe('0.123');
    expect(axisText(axis({ unit: 'share' }), 0.5)).toBe('50.0%');
    expect(axisText(axis({ unit: 'usd' }), 2)).toBe('$2.00');
  });

  it('are in few figures at a tick', () => {
    expect([0, 2, 3].map((value) => tickText(NAMES, value))).toEqual(['off', 'large', '']);
    expect([0.05, 0.125, 1].map((value) => tickText(axis({ unit: 'share' }), value))).toEqual([
      '5%',
      '12.5%',
      '100%',
    ]);
    expect([0, 0.5, 1_200, -0.25, 0.00016].map((value) => tickText(axis({ unit: 'usd' }), value))).toEqual([
      '$0',
      '$0.5',
      '$1,200',
      '−$0.25',
      '$0.0002',
    ]);
    expect([999, 1_000, -1_000, 12_500, 0.12345].map((value) => tickText(axis(), value))).toEqual([
      '999',
      '1k',
      '-1k',
      '12.5k',
      '0.1235',
    ]);
  });
});

describe('the scale of an axis of points', () => {
  it('is even over values, or over their logarithms', () => {
    const even = scaleOf(axis(), [0, 100], [64, 164]);
    expect([0, 10, 100].map((value) => even.px(value))).toEqual([64, 74, 164]);
    const powers = scaleOf(LOG, [1, 100], [64, 164]);
    expect([1, 10, 100].map((value) => powers.px(value))).toEqual([64, 114, 164]);
  });
});

describe('the ticks of an axis of points', () => {
  it('are all names where there is room for them, else every N', () => {
    expect(ticksOf(NAMES, -0.5, 2.5, 10)).toEqual([0, 1, 2]);
    expect(ticksOf(NAMES, -0.5, 2.5, 3)).toEqual([0, 1, 2]);
    expect(ticksOf(NAMES, -0.5, 2.5, 2)).toEqual([0, 2]);
    expect(ticksOf(NAMES, -0.5, 2.5, 1)).toEqual([0]);
  });

  it('are round numbers, twice as many where there would be less than two', () => {
    expect(ticksOf(axis(), 0, 100, 5)).toEqual([0, 20, 40, 60, 80, 100]);
    expect(ticksOf(axis(), 0, 100, 1)).toEqual([0, 100]);
    // steps of 10 meet this range once, steps of 5 twice
    expect(ticksOf(axis(), 8, 16, 1)).toEqual([10, 15]);
  });

  it('are powers of ten over logarithms, or the ends where fewer than two powers are in sight', () => {
    expect(ticksOf(LOG, 0.5, 2_000, 5)).toEqual([1, 10, 100, 1_000]);
    // one of every two: 1, 100, 10,000
    expect(ticksOf(LOG, 1, 10_000, 3)).toEqual([1, 100, 10_000]);
    expect(ticksOf(LOG, 1, 100, 8)).toEqual([1, 10, 100]);
    expect(ticksOf(LOG, 2, 30, 5)).toEqual([2, 30]);
    expect(ticksOf(LOG, 2, 5, 5)).toEqual([2, 5]);
  });
});

describe('the span of an axis of points', () => {
  it('has half a place beside the first and the last name', () => {
    expect(spanOf([1], NAMES, 'least')).toEqual([-0.5, 2.5]);
  });

  it('has 6 % of room at either end', () => {
    expect(spanOf([200, 100, 150], axis(), 'least')).toEqual([94, 206]);
    expect(spanOf([-100, 100], axis(), 'zero')).toEqual([-112, 112]);
  });

  it('has a tenth of the value, or one, where all values are the same', () => {
    expect(spanOf([-50], axis(), 'least')).toEqual([-55, -45]);
    expect(spanOf([0, 0], axis(), 'least')).toEqual([-1, 1]);
  });

  it('begins at zero where asked to and the least is at most half of the largest', () => {
    expect(spanOf([50, 100], axis(), 'zero')).toEqual([0, 103]);
    expect(spanOf([0, 100], axis(), 'zero')).toEqual([0, 106]);
    expect(spanOf([50, 100], axis(), 'least')).toEqual([47, 103]);
    expect(spanOf([60, 100], axis(), 'zero')[0]).toBeCloseTo(57.6, 9);
  });

  it('is wider by a factor over logarithms: 1.15, or two for one value', () => {
    const [low, high] = spanOf([10, 1_000], LOG, 'zero');
    expect([low * 1.15, high / 1.15]).toEqual([expect.closeTo(10, 9), expect.closeTo(1_000, 9)]);
    expect(spanOf([10, 10], LOG, 'zero')).toEqual([5, 20]);
  });
});
