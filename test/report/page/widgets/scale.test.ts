import { describe, expect, it } from 'vitest';
import {
  clock,
  clockTick,
  labelEnds,
  linearScale,
  niceTicks,
  short,
  timeTicks,
} from '../../../../src/report/page/widgets/scale.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('scales of the page', () => {
  it('map a range to pixels and back', () => {
    const scale = linearScale([10, 30], [100, 300]);
    expect([scale.px(10), scale.px(15), scale.px(30)]).toEqual([100, 150, 300]);
    expect([scale.value(100), scale.value(150), scale.value(300)]).toEqual([10, 15, 30]);
  });

  it('map downwards where the larger value is the higher one', () => {
    const scale = linearScale([0, 50], [200, 100]);
    expect([scale.px(0), scale.px(25), scale.px(50)]).toEqual([200, 150, 100]);
  });

  it('hold a range of one value and a width of nothing', () => {
    const one = linearScale([5, 5], [0, 100]);
    expect([one.px(5), one.px(6), one.value(100)]).toEqual([0, 100, 6]);
    const none = linearScale([5, 9], [40, 40]);
    expect([none.value(40), none.value(41)]).toEqual([5, 9]);
  });
});

describe('ticks', () => {
  it.each([
    // range, wanted, ticks: steps of 1, 2 or 5 times a power of ten that are not closer than wanted
    [0, 100, 10, [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100]],
    [0, 100, 5, [0, 20, 40, 60, 80, 100]],
    [0, 100, 3, [0, 50, 100]],
    [3, 17, 4, [5, 10, 15]],
    [0, 7, 1, [0]],
    [0, 7, 0.2, [0]],
    [0.5, 4.5, 12, [0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5]],
  ])('from %d to %d, about %d of them', (from, to, wanted, expected) => {
    expect(niceTicks(from, to, wanted)).toEqual(expected);
  });

  it('of a range of one value are that value', () => {
    expect(niceTicks(4, 4, 5)).toEqual([4]);
  });

  it('of times are round in minutes and hours', () => {
    expect(timeTicks(0, 2 * HOUR, 8).map((ms) => ms / MINUTE)).toEqual([0, 15, 30, 45, 60, 75, 90, 105, 120]);
    expect(timeTicks(10 * MINUTE, 70 * MINUTE, 2).map((ms) => ms / MINUTE)).toEqual([30, 60]);
    expect(timeTicks(0, 10_000, 5)).toEqual([0, 2_000, 4_000, 6_000, 8_000, 10_000]);
    expect(timeTicks(0, 24 * HOUR, 4).map((ms) => ms / HOUR)).toEqual([0, 6, 12, 18, 24]);
    expect(timeTicks(0, 3 * 8_760 * HOUR, 0).map((ms) => ms / HOUR)).toEqual([0, 8_760, 17_520, 26_280]);
  });
});

it('steps of time are those that people count in, up to days, weeks, months, a quarter and a year', () => {
  const seconds = [1, 2, 5, 10, 15, 30];
  const hours = [1, 2, 3, 6, 12, 24, 48, 96, 168, 336, 720, 2_160, 8_760];
  const steps = [
    ...seconds.map((n) => n * 1_000),
    ...seconds.map((n) => n * MINUTE),
    ...hours.map((n) => n * HOUR),
  ];
  for (const [i, step] of steps.entries()) {
    expect(timeTicks(0, 2 * step, 2)).toEqual([0, step, 2 * step]);
    // a little more room takes the next step
    const next = steps[i + 1] ?? step;
    expect(timeTicks(0, 2 * step + 2, 2)[1]).toBe(next <= 2 * step + 2 ? next : undefined);
  }
});

describe('words on axes', () => {
  it.each([
    [0, '0:00:00'],
    [59_400, '0:00:59'],
    [59_500, '0:01:00'],
    [(4 * 60 + 5) * MINUTE + 9_000, '4:05:09'],
    [26 * HOUR, '26:00:00'],
  ])('%d ms since the start is %s', (ms, text) => {
    expect(clock(ms)).toBe(text);
  });

  it('a tick has seconds only where ticks are closer than a minute', () => {
    expect(clockTick(90 * MINUTE, MINUTE)).toBe('1:30');
    expect(clockTick(90 * MINUTE, MINUTE - 1)).toBe('1:30:00');
  });

  it.each([
    [0, '0'],
    [949.6, '950'],
    [1_000, '1k'],
    [12_540, '12.5k'],
    [1_000_000, '1M'],
    [1_250_000, '1.3M'],
    [1e9, '1G'],
    [2_500_000_000, '2.5G'],
    [-12_000, '-12k'],
  ])('%d is %s in short', (value, text) => {
    expect(short(value)).toBe(text);
  });
});

it('texts that are far enough apart end where they should', () => {
  expect(
    labelEnds(
      [
        { y: 10, text: 'window' },
        { y: 25, text: 'blocking' },
      ],
      500,
    ),
  ).toEqual([500, 500]);
});

it('a text that would stand over others goes to the left of them', () => {
  const labels = [
    { y: 30, text: '0123456789' },
    { y: 40, text: '0123456789' },
    { y: 20, text: '0123456789' },
    { y: 50, text: '0123456789' },
  ];
  // ten letters of 6.5 pixels and 14 between two texts: 79 to the left; the third is beside the first alone, the last beside the second
  expect(labelEnds(labels, 500)).toEqual([500, 421, 421, 500]);
});
