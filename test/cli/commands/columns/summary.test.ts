import { describe, expect, it } from 'vitest';
import {
  type StudySummary,
  settingsText,
  studiesConclusion,
  studyConclusion,
  summaryLines,
} from '../../../../src/cli/commands/columns/summary.js';

const SUMMARY: StudySummary = {
  id: 'abc',
  name: 'gap',
  version: '1.2.3',
  runs: 12,
  finished: 12,
  failed: 0,
  parts: 1,
  sessions: ['s', 'l'],
  axes: [],
  best: {
    metric: 'costUsd',
    sessions: 2,
    ranked: 6,
    points: [
      { settings: { gap: 5, ttl: '1h' }, value: 2 },
      { settings: { gap: 10, ttl: '1h' }, value: 3 },
    ],
    reason: null,
  },
};

describe('the summary of a study in columns', () => {
  it('says how much is there and what is best', () => {
    expect(summaryLines(SUMMARY, '')).toEqual([
      'gap: 12 of 12 runs in 1 part, study abc, ccbench 1.2.3',
      'best cost, mean over 2 sessions, of 6 points that finished:',
      '  $2.00  gap=5, ttl=1h',
      '  $3.00  gap=10, ttl=1h',
    ]);
    expect(settingsText({})).toBe('');
  });

  it('says what is open and what failed, and in the conclusion why nothing is best', () => {
    const best = { ...SUMMARY.best, points: [], reason: 'so it is' };
    expect(
      summaryLines({ ...SUMMARY, finished: 11, failed: 1, parts: 2, best }, 'other shards have it'),
    ).toEqual([
      'gap: 11 of 12 runs in 2 parts, study abc, ccbench 1.2.3',
      '1 run is not finished: other shards have it',
      '1 run failed; the column error says why',
    ]);
    expect(summaryLines({ ...SUMMARY, finished: 10 }, 'others have them')[1]).toBe(
      '2 runs are not finished: others have them',
    );
    expect(studyConclusion({ ...SUMMARY, best }).result).toBe('No point of gap is best in cost: so it is.');
    expect(studyConclusion({ ...SUMMARY, best }).advice).not.toContain('The best of many');
  });

  it('doubts the best of a study that is not finished', () => {
    expect(studyConclusion(SUMMARY)).toEqual({
      result: 'The best cost of gap is $2.00, at gap=5, ttl=1h.',
      advice: expect.stringMatching(/^The best of many points looks better/),
    });
    expect(studyConclusion({ ...SUMMARY, finished: 11 })).toEqual({
      result: 'The best cost of gap so far is $2.00, at gap=5, ttl=1h.',
      advice: expect.stringMatching(/^The study is not finished/),
    });
  });

  it('concludes from the studies of a search that saw most of the sessions', () => {
    const points = [{ settings: { gap: 1 }, value: 0.5 }];
    const none = { ...SUMMARY, id: 'none', sessions: [], best: { ...SUMMARY.best, points } };
    const few = { ...SUMMARY, id: 'few', sessions: ['s'], best: { ...SUMMARY.best, points } };
    const other = { ...SUMMARY, id: 'o', name: 'other', best: { ...SUMMARY.best, points } };
    const best = 'The best cost of gap is $2.00, at gap=5, ttl=1h.';
    expect(studiesConclusion([SUMMARY]).result).toBe(best);
    expect(studiesConclusion([none, SUMMARY, few]).result).toBe(
      `${best} 2 studies over fewer sessions are intermediate steps.`,
    );
    expect(studiesConclusion([SUMMARY, few, other]).result).toBe(
      `${best} The best cost of other is $0.5000, at gap=1. 1 study over fewer sessions is an intermediate step.`,
    );
    expect(studiesConclusion([SUMMARY, { ...SUMMARY, id: 'x' }]).result).toContain('of gap (study x) is');
  });
});
