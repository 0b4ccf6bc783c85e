import { describe, expect, it } from 'vitest';
import type { LogEntry } from '../../src/core/run/run-log.js';
import { completionOf } from '../../src/metrics/facts.js';
import { foldLog } from '../../src/metrics/fold.js';
import { metricValues } from '../../src/metrics/registry.js';
import { endEntry, requestEntry, runEntry } from '../helpers/log.js';

function ended(...entries: readonly LogEntry[]) {
  return foldLog([runEntry(), ...entries, endEntry(entries, { turns: 9 })]);
}

const lost = (calls: number, reason = 'too long'): LogEntry => ({
  type: 'lost',
  t: 0,
  thread: 'main',
  calls,
  reason,
});

const main = requestEntry({ inputCost: 6e9 });
const sub = requestEntry({ thread: 's', purpose: 'subagent' });
const summary = requestEntry({ purpose: 'compact' });

describe('completionOf', () => {
  it('is finished when every call of the transcript was answered', () => {
    expect(completionOf(ended(main, sub, summary))).toEqual({
      calls: 2,
      answered: 2,
      lost: 0,
      finished: true,
      reason: null,
    });
  });

  it('counts calls of the loops alone, and keeps the first reason', () => {
    const facts = ended(main, sub, summary, lost(4), lost(2, 'later'));
    expect(completionOf(facts)).toEqual({
      calls: 8,
      answered: 2,
      lost: 6,
      finished: false,
      reason: 'too long',
    });
    expect(metricValues(facts)).toMatchObject({ finishedShare: 0.25, callsAnswered: 2, callsLost: 6 });
  });

  it('holds a log without its end against the calls of the transcript', () => {
    const facts = foldLog([runEntry(), main]);
    expect(completionOf(facts)).toMatchObject({ calls: 3, answered: 1, lost: 2, finished: false });
    expect(completionOf(foldLog([]))).toMatchObject({ calls: 0, lost: 0, finished: false });
  });

  it('C36 expects no call of an agent that another one had ended', () => {
    const notMade: LogEntry = { type: 'ended', t: 0, thread: 'a', calls: 1, reason: 'its team is done' };
    expect(completionOf(foldLog([runEntry(), main, notMade]))).toMatchObject({ calls: 2, lost: 1 });
    expect(completionOf(ended(main, notMade))).toMatchObject({ calls: 1, lost: 0, finished: true });
  });

  it('is not finished where there was nothing to answer, and has no share of it', () => {
    expect(completionOf(ended())).toMatchObject({ calls: 0, finished: false });
    expect(metricValues(ended()).finishedShare).toBeNull();
  });

  it('divides the cost by the turns that were completed', () => {
    const facts = ended(main, requestEntry({ turn: 2 }), sub, lost(7));
    expect(metricValues(facts).costPerTurnUsd).toBe(6 / 2);
  });
});
