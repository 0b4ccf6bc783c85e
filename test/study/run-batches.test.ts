import { describe, expect, it } from 'vitest';
import type { Partition } from '../../src/study/batches.js';
import type { GridStudy } from '../../src/study/grid-study.js';
import { expectedCalls } from '../../src/study/job.js';
import type { ResultRow } from '../../src/study/result-rows.js';
import type { ResultStore } from '../../src/study/results/result-store.js';
import { batchCosts, runBatches } from '../../src/study/run-batches.js';
import type { TranscriptInput } from '../../src/transcripts/files/transcript-input.js';

const PARTITION: Partition = { runs: 1_500, batchRuns: 1_000, batches: 2, batchesPerPart: 1, parts: 2 };

/** A study over two sessions whose runs fail at once, and a store that holds some of its rows; what happens to them. */
function studied(begun: readonly ResultRow[]) {
  const events: string[] = [];
  const study = {
    record: { partition: PARTITION, columns: [{ name: 'run', kind: 'number' }] },
    sessions: 2,
    async plan({ from, to }: { from: number; to: number }, isWanted: (run: number) => boolean) {
      const runs = Array.from({ length: to - from }, (_, i) => from + i).filter(isWanted);
      events.push(`plan ${from}–${to}: ${runs.length}`);
      return runs.map((run) => ({ run, known: {}, job: null, input: null }));
    },
  } as unknown as GridStudy;
  const store = {
    begun: (batch: number) => (batch === 0 ? begun : []),
    append: (batch: number, { run }: ResultRow) => appended.push([batch, run]),
    finish: async (batch: number, rows: readonly ResultRow[]) =>
      void events.push(`finish ${batch}: ${new Set(rows.map(({ run }) => run)).size}`),
  } as unknown as ResultStore;
  const appended: (readonly [number, number])[] = [];
  return { study, store, events, appended };
}

describe('the batches of a study', () => {
  it('are planned in pieces, the first: small, and finished when all of their rows are there', async () => {
    const { study, store, events, appended } = studied([{ run: 3, cells: [3] }]);
    let ran = 0;
    await runBatches(
      study,
      store,
      [0, 1],
      async () => {},
      () => ran++,
    );
    // Four points of two sessions, then 400 runs at a time; the row that was there is not made again.
    expect(events.filter((event) => event.startsWith('plan'))).toEqual([
      'plan 0–8: 7',
      'plan 8–408: 400',
      'plan 408–808: 400',
      'plan 808–1000: 192',
      'plan 1000–1400: 400',
      'plan 1400–1500: 100',
    ]);
    expect(events.filter((event) => event.startsWith('finish'))).toEqual(['finish 0: 1000', 'finish 1: 500']);
    expect([ran, appended.length]).toEqual([1_499, 1_499]);
    expect(appended.every(([batch, run]) => batch === Math.floor(run / 1_000))).toBe(true);
  });

  it('cost the calls of their sessions; where settings change these, by looks at three runs', () => {
    const costs = (variesSessions: boolean, weight: (point: number, session: number) => number) =>
      batchCosts({ ...studied([]).study, variesSessions, weight } as GridStudy);
    expect(costs(false, (_point, session) => 10 + session)).toEqual([500 * 21, 250 * 21]);
    // Runs 0, 499 and 999 are of the points 0, 249 and 499; runs 1000, 1249 and 1499 of 500, 624 and 749.
    expect(costs(true, (point, session) => point + session)).toEqual([
      (1_000 * (0 + 250 + 500)) / 3,
      (500 * (500 + 625 + 750)) / 3,
    ]);
  });
});

it('a session is expected to have a call for each 4,000 bytes, or as many as it is generated with', () => {
  const recorded = { kind: 'recorded', bytes: new Uint8Array(8_000) } as unknown as TranscriptInput;
  const shared = { kind: 'shared', compiled: new Uint8Array(2_000) } as unknown as TranscriptInput;
  const synthetic = { kind: 'synthetic', spec: { turns: 7 } } as unknown as TranscriptInput;
  const sessions = [recorded, synthetic].map((input) => ({ input }));
  expect([recorded, shared, synthetic].map(expectedCalls)).toEqual([3, 1.5, 7]);
  expect(expectedCalls({ kind: 'sessions', sessions } as unknown as TranscriptInput)).toBe(10);
});
