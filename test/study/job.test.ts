import { expect, it } from 'vitest';
import { runKey } from '../../src/study/point.js';
import { planOf } from '../helpers/plan.js';

const key = (transcript: string, seed = 1) => runKey({ plan: planOf({ seed }), transcript });

it('equal plans over equal transcripts have one address', () => {
  expect(key('t')).toBe(key('t'));
  expect(key('t')).toMatch(/-t$/);
  expect(key('u')).not.toBe(key('t'));
  expect(key('t', 2)).not.toBe(key('t'));
});
