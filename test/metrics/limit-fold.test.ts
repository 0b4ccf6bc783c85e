import { expect, it } from 'vitest';
import { foldLog, LimitFold } from '../../src/metrics/fold.js';
import { layerEntry, requestEntry, runEntry } from '../helpers/log.js';

it('takes from another run what happened, and adds up anew what limits have a say in', () => {
  const facts = foldLog([
    runEntry({ name: 'first' }),
    requestEntry({ read: 10 }),
    layerEntry({ details: { overshoot: 9 } }),
  ]);
  const fold = new LimitFold(facts);
  fold.write(runEntry({ name: 'second' }));
  fold.write({
    type: 'status',
    t: 0,
    thread: 'main',
    turn: 1,
    n: 1,
    seen: 90,
    limit: 100,
    percentLeft: 10,
    warning: true,
    error: false,
  });
  fold.seen('main', 95);
  for (const overshoot of [20, 50, 30]) fold.write(layerEntry({ details: { overshoot } }));
  fold.write(layerEntry());
  const other = fold.finish();
  expect(other).toMatchObject({ run: { name: 'second' }, overshootTokens: 50 });
  expect(other.status).toMatchObject({ warning: { turns: 1, times: 1 }, leastPercentLeft: 5 });
  expect(other.requests).toEqual(facts.requests);
  expect(other.layers).toEqual(facts.layers);
  const silent = new LimitFold(facts).finish();
  expect(silent).toMatchObject({ run: null, overshootTokens: null, status: null });
});
