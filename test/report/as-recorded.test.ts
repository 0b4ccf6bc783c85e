import { describe, expect, it } from 'vitest';
import type { RecordedBill } from '../../src/model/recorded-bill.js';
import { againstRecorded, billNotes, recordedRow } from '../../src/report/as-recorded.js';

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
      'as recorded: the output of 4 of 8 calls is estimated, as the recording holds placeholders',
      'as recorded: without 4 calls of unknown models (even, odd)',
      'as recorded: without 1 response that carries no usage',
    ]);
  });
});
