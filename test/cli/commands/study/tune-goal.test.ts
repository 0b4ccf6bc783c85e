import { expect, it } from 'vitest';
import { goalOf } from '../../../../src/cli/commands/tune/tune-search.js';

it('a search wants less or more of one metric, within its constraints', () => {
  expect(goalOf({ minimise: 'costUsd', subjectTo: ['turns >= 3'] })).toEqual({
    metric: 'costUsd',
    sign: 1,
    constraints: [{ text: 'turns >= 3', metric: 'turns', op: '>=', value: 3 }],
  });
  expect(goalOf({ maximise: 'cacheHitRate', subjectTo: [] })).toEqual({
    metric: 'cacheHitRate',
    sign: -1,
    constraints: [],
  });
  for (const options of [{}, { minimise: 'costUsd', maximise: 'costUsd' }])
    expect(() => goalOf({ ...options, subjectTo: [] })).toThrow('--minimise or --maximise, one of them');
});

it('what is wrong with a goal is shown at its option', () => {
  const placeOf = (options: object): unknown => {
    try {
      return goalOf({ subjectTo: [], ...options });
    } catch (error) {
      return (error as { readonly place?: unknown }).place;
    }
  };
  expect(placeOf({ minimise: 'cost' })).toMatchObject({ file: expect.stringContaining('--minimise') });
  expect(placeOf({ maximise: 'cost' })).toMatchObject({ file: expect.stringContaining('--maximise') });
  expect(placeOf({ minimise: 'costUsd', subjectTo: ['x'] })).toEqual({ file: '--subject-to x' });
});
