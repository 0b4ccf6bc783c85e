import { describe, expect, it } from 'vitest';
import type { RecordedBill } from '../../../src/core/run/recorded-bill.js';
import {
  againstRecorded,
  billNotes,
  notRecordedNano,
  recordedDifference,
  recordedRow,
} from '../../../src/report/text/as-recorded.js';

function bill(change: Partial<RecordedBill> = {}): RecordedBill {
  return {
    calls: 4,
    mainCalls: 2,
    tokens: { input: 100, cacheRead: 600, cacheWrite5m: 200, cacheWrite1h: 100, output: 50 },
    mainPromptTokens: 800,
    peakContextTokens: 500,
    costNano: {
      input: 0,
      cacheRead: 0,
      cacheWrite5m: 0,
      cacheWrite1h: 0,
      output: 3_000_000_000,
      total: 3_000_000_000,
    },
    mainCostNano: 2_000_000_000,
    threads: [],
    estimatedOutputs: 0,
    unpriced: {},
    withoutUsage: 0,
    compactions: 0,
    summaries: 0,
    ...change,
  };
}

it('a cost is told as its distance from the recording in percent', () => {
  expect(againstRecorded(2, 1)).toBe('+100 % against the recording');
  expect(againstRecorded(0.969, 1)).toBe('−3.1 % against the recording');
  expect(againstRecorded(1.0004, 1)).toBe('±0 % against the recording');
  expect(againstRecorded(0.9996, 1)).toBe('±0 % against the recording');
  expect(againstRecorded(1.0006, 1)).toBe('+0.1 % against the recording');
});

describe('the cost of a run beside its recording', () => {
  type Facts = Parameters<typeof recordedDifference>[0];
  const facts = (
    change: { callsLost?: number; compact?: number; bill?: RecordedBill | null } = {},
  ): Facts => {
    const { callsLost = 0, compact = 0, bill: recorded = bill() } = change;
    const cost = { total: 3e9 + compact, byLayer: { main: 2e9, subagent: 1e9, compact } };
    return {
      run: { transcript: recorded === null ? {} : { recorded } },
      cost,
      callsLost,
    } as unknown as Facts;
  };

  it('is told in percent where all calls were made', () => {
    expect(recordedDifference(facts())).toBe('±0 % against the recording');
    // Requests that no recording holds are no part of the comparison.
    expect(recordedDifference(facts({ compact: 3e8 }))).toBe('±0 % against the recording');
    // Nor are writes that the recording does not tell: $3 against $2.50 + $0.50.
    const costNano = { ...bill().costNano, total: 2.5e9 };
    expect(recordedDifference(facts({ bill: bill({ costNano, assumedWritesNano: 5e8 }) }))).toBe(
      '±0 % against the recording',
    );
    expect(recordedDifference(facts({ callsLost: 1 }))).toBe('calls were lost: no match for the recording');
    expect(recordedDifference(facts({ bill: null }))).toBeNull();
  });

  it('says what no recording holds: what layers ask for, unless it holds that', () => {
    expect(notRecordedNano(facts({ compact: 3e8 }))).toBe(3e8);
    expect(notRecordedNano(facts({ compact: 1e7 }))).toBeNull();
    expect(notRecordedNano(facts({ compact: 3e8, bill: bill({ summaries: 1 }) }))).toBeNull();
    expect(notRecordedNano(facts({ compact: 3e8, bill: null }))).toBeNull();
  });
});

describe('what recordings tell of themselves', () => {
  it('is the mean over those that tell', () => {
    const silent = bill({ calls: 2, unpriced: { odd: 2 }, peakContextTokens: null });
    const { name, cells } = recordedRow(
      [bill(), bill({ calls: 6 }), silent],
      ['costUsd', 'apiCalls', 'cacheHitRate', 'peakContextTokens', 'tokensSaved'],
    );
    expect(name).toBe('as recorded');
    expect(cells).toEqual([
      { text: '$3.00', value: 3 },
      { text: '4', value: 4 },
      { text: '60.0%', value: 0.6 },
      { text: '500', value: 500 },
      { text: '–', value: null },
    ]);
  });

  it('says what it leaves out and what is estimated, added up over all of them', () => {
    expect(billNotes([])).toEqual([]);
    expect(billNotes([bill()])).toEqual([expect.stringContaining('summary requests (0 here)')]);
    const notes = billNotes([
      bill({ compactions: 5, summaries: 2, estimatedOutputs: 3, unpriced: { odd: 1 }, withoutUsage: 1 }),
      bill({ compactions: 1, summaries: 0, estimatedOutputs: 1, unpriced: { even: 2, odd: 1 } }),
    ]);
    expect(notes).toEqual([
      expect.stringContaining('summary requests (4 here)'),
      'as recorded: the output of 4 of 8 calls is estimated: the recording has placeholders',
      'as recorded: without 4 calls of unknown models (even, odd)',
      'as recorded: without 1 response that carries no usage',
    ]);
  });
});
