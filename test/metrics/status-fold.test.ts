import { describe, expect, it } from 'vitest';
import type { StatusEntry } from '../../src/core/run/log-entries.js';
import { foldLog, LimitFold } from '../../src/metrics/fold.js';
import { metricValues } from '../../src/metrics/registry.js';
import { layerEntry, requestEntry, runEntry, statusEntry } from '../helpers/log.js';

/** What a client shows from a request on, of a limit of 100,000 tokens. */
const shown = (n: number, change: Partial<StatusEntry>): StatusEntry =>
  statusEntry({ turn: n, n, estimatedTokens: 0, limit: 100_000, percentLeft: 0, warning: false, ...change });

const sent = (n: number, seen: number, thread = 'main') =>
  requestEntry({ n, turn: n, estimatedTokens: seen, thread });

describe('WIN-5 what clients showed', () => {
  const facts = foldLog([
    shown(1, {}),
    sent(1, 70_000),
    shown(2, { warning: true, error: true }),
    sent(2, 80_000),
    sent(3, 90_500),
    requestEntry({ n: 4, purpose: 'compact', estimatedTokens: 99_000 }),
    shown(5, {}),
    sent(5, 40_000),
    shown(6, { warning: true }),
    sent(6, 81_000),
  ]);

  it('counts the turns of the main loop under each state, the times it was entered and where', () => {
    expect(facts.status?.warning).toEqual({ turns: 3, times: 2, firstRequest: 2, leftAt: null });
    expect(facts.status?.error).toEqual({ turns: 2, times: 1, firstRequest: 2, leftAt: 5 });
  });

  it('keeps the least that was left when a turn was sent, rounded to a percent', () => {
    // (100,000 − 90,500) / 100,000 = 9.5 %
    expect(facts.status?.leastPercentLeft).toBe(10);
    expect(metricValues(facts)).toMatchObject({
      warningShownTurns: 3,
      errorShownTurns: 2,
      leastPercentLeft: 0.1,
    });
  });

  it('a state is left when the last conversation that shows it leaves it', () => {
    const { status } = foldLog([
      shown(1, { warning: true }),
      sent(1, 80_000),
      shown(2, { thread: 'other', warning: true }),
      sent(2, 80_000, 'other'),
      shown(3, {}),
      sent(3, 10_000),
      shown(4, { thread: 'other' }),
      sent(4, 10_000, 'other'),
    ]);
    expect(status?.warning).toEqual({ turns: 2, times: 2, firstRequest: 1, leftAt: 4 });
  });

  it('tells nothing where no window was known', () => {
    expect(foldLog([sent(1, 70_000)]).status).toBeNull();
  });
});

it('takes from another run what happened, and adds up again what limits have a say in', () => {
  const facts = foldLog([
    runEntry({ name: 'first' }),
    requestEntry({ read: 10 }),
    layerEntry({ details: { overshoot: 9 } }),
  ]);
  const fold = new LimitFold(facts);
  fold.write(runEntry({ name: 'second' }));
  fold.write(statusEntry());
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
