import { expect, it } from 'vitest';
import { foldLog } from '../../src/metrics/fold.js';
import { metricValues } from '../../src/metrics/registry.js';
import { ofType, planOf, runLog } from '../helpers/plan.js';
import { ask, assistant, readSession, result, say, user } from '../helpers/session.js';

const MODEL = { model: 'claude-sonnet-4-5' };

/** Three commands at once, whose results are longer than the 30,000 characters that stay; then a fourth one. */
function threeAtOnce() {
  const long = 'y'.repeat(40_000);
  return readSession([
    user('u1', 0, 'go'),
    assistant('a1', 5, 'm1', [...ask('t1'), ...ask('t2'), ...ask('t3')], MODEL),
    result('r1', 10, 't1', long),
    result('r2', 10, 't2', long),
    result('r3', 10, 't3', long),
    assistant('a2', 15, 'm2', ask('t4'), MODEL),
    result('r4', 20, 't4', long),
    assistant('a3', 25, 'm3', say('done'), MODEL),
  ]);
}

it('C37 STO-1 a replay that stores three results at once and one later counts four', () => {
  const entries = runLog(planOf({ policy: 'claude-code/2026' }), threeAtOnce());
  const stores = ofType(entries, 'layer').filter(({ layer }) => layer === 'storage');
  expect(stores.map(({ action }) => action)).toEqual(['store', 'store']);
  expect(metricValues(foldLog(entries)).storedResults).toBe(4);
});

it('C37 STO-1 a replay without storage counts none', () => {
  const entries = runLog(
    planOf({ policy: 'claude-code/2026', set: { 'storage.enabled': false } }),
    threeAtOnce(),
  );
  expect(metricValues(foldLog(entries)).storedResults).toBe(0);
});
