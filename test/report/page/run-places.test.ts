import { expect, it } from 'vitest';
import { rangeAround, wordsPlace } from '../../../src/report/page/run-places.js';

const model = (requests: number) => ({
  domain: () => [0.5, requests + 0.5] as const,
  number: (index: number) => index + 1,
});

it('a place in a long run is shown with forty requests on either side, a short run whole', () => {
  expect(rangeAround(model(160), 80)).toBeNull();
  expect(rangeAround(model(161), 79)).toEqual([40, 120]);
  expect(rangeAround(model(161), 9)).toEqual([0.5, 50]);
  expect(rangeAround(model(161), 150)).toEqual([111, 161.5]);
});

it.each([
  ['73', { turn: '73' }],
  ['turn 73', { turn: '73' }],
  ['Request #120', { request: '120' }],
  ['event4', { event: '4' }],
  ['break', {}],
  ['turn', {}],
  ['run 3', {}],
])('"%s" as a place', (words, place) => {
  expect(wordsPlace(words)).toEqual(place);
});
