import { expect, it } from 'vitest';
import { runKey } from '../../src/study/point.js';
import { planOf } from '../helpers/plan.js';

const key = (share: number, transcript = 't') => runKey({ plan: planOf({}), transcript, share } as never);

it('equal plans over equal transcripts have one address, which a part of the transcript changes', () => {
  expect(key(1)).toBe(key(1));
  expect(key(1, 'u')).not.toBe(key(1));
  expect(key(1)).toMatch(/-t$/);
  expect(key(0.5)).toBe(`${key(1)}-0.500000`);
  // A millionth more is another part.
  expect(key(0.500001)).not.toBe(key(0.5));
});
