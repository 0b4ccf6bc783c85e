import { describe, expect, it } from 'vitest';
import type { LogEntry } from '../../../src/core/run/run-log.js';
import { foldLog } from '../../../src/metrics/fold.js';
import { unfinishedText } from '../../../src/report/text/as-recorded.js';
import { compareTable } from '../../../src/report/text/compare-table.js';
import { endEntry, requestEntry, runEntry } from '../../helpers/log.js';

const LOST: LogEntry = { type: 'lost', t: 0, thread: 'main', calls: 1_500, reason: 'too long\u001b[2J' };

function facts(...entries: readonly LogEntry[]) {
  return foldLog([runEntry(), ...entries, endEntry(entries)]);
}

function reported(name: string, ...entries: readonly LogEntry[]) {
  return { name, entries, facts: facts(...entries), digest: null, policyInfo: null };
}

describe('unfinishedText', () => {
  it('says nothing about a run that finished', () => {
    expect(unfinishedText(facts(requestEntry()))).toBeNull();
  });

  it('tells what went unanswered and why, safe for a terminal', () => {
    expect(unfinishedText(facts(requestEntry(), LOST))).toBe(
      'unfinished: 1,500 of 1,501 calls were not answered (too long [2J); every number covers the other 1',
    );
    expect(unfinishedText(facts(LOST))).toBe('unfinished: none of 1,500 calls was answered (too long [2J)');
    expect(unfinishedText(facts())).toContain('the transcript holds no calls');
    expect(unfinishedText(foldLog([runEntry(), requestEntry()]))).toContain('did not finish, and');
  });
});

describe('compareTable', () => {
  it('marks a run that did not finish, and never as the best', () => {
    const table = compareTable([
      reported('dies', requestEntry({ input: 1, inputCost: 1e9 }), LOST),
      reported('dear', requestEntry({ input: 1, inputCost: 5e9 })),
      reported('cheap', requestEntry({ input: 1, inputCost: 2e9 })),
    ]);
    const cost = table.columns.indexOf('cost');
    expect(table.rows.map(({ note }) => note ?? null)).toEqual(['unfinished', null, null]);
    expect(table.rows.map(({ cells }) => cells[cost]!.mark ?? null)).toEqual([null, null, 'best']);
    expect(table.rows[0]!.cells.some(({ mark }) => mark === 'best')).toBe(false);
  });
});
