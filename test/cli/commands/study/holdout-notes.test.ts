import { expect, it } from 'vitest';
import { holdoutNotes } from '../../../../src/cli/commands/study/study-conclusion.js';
import type { OutOfSample } from '../../../../src/study/out-of-sample.js';

const RESULT: OutOfSample = {
  searched: ['a', 'b'],
  heldOut: ['c', 'd', 'e'],
  promised: { mean: 2, share: 0.25, low: 1, high: 3, sessions: 2 },
  realised: { mean: 1.5, share: null, low: -1, high: 4, sessions: 2 },
  isWithin: true,
  refusal: null,
};

it('a search says what it promised and what came of it', () => {
  expect(holdoutNotes(RESULT, 'costUsd')).toEqual([
    'searched on 2 sessions, tried on 3 others, against the scenario as it is (costUsd):',
    '  promised saving: $2.00 a session (25.0%), 95 % interval for the mean of the 2 others $1.00 to $3.00, over 2 sessions',
    '  realised saving: $1.50 a session, 95 % interval for the mean of such sessions −$1.00 to $4.00, over 2 sessions',
    '  the realised saving lies within the promised interval',
  ]);
  expect(holdoutNotes({ ...RESULT, isWithin: false }, 'costUsd').at(-1)).toContain('outside the promised');
  expect(holdoutNotes({ ...RESULT, realised: null, isWithin: null }, 'costUsd').slice(2)).toEqual([
    '  realised saving: nothing to compare',
  ]);
});
