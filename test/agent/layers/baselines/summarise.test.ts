import { describe, expect, it } from 'vitest';
import { replayAll, steady } from './replay-baseline.js';

const SUMMARY = 'llm: { fake: { summaryTokens: 500, scratchpadTokens: 0 } }\n';
const SET = ['rules.summarise.when.turns=6', 'rules.summarise.select.keep.last=2 rounds'];

describe('summarise', () => {
  it('summarises this many turns at a time and keeps the latest, the opening prompt and one summary', () => {
    const [run] = replayAll(steady('baselines/summarise', 12, 1_000, SUMMARY), SET);
    // After six turns: prompt 100 + summary 500 + two kept turns of 1,000 + the prefix.
    expect(
      run!.layers.map(({ turn, action, trueBefore, trueAfter }) => [turn, action, trueBefore, trueAfter]),
    ).toEqual([
      [7, 'compact', 7_100, 3_600],
      [11, 'compact', 7_600, 3_600],
    ]);
    expect(run!.facts.compactions.done).toBe(2);
    expect(
      run!.entries.filter((entry) => entry.type === 'request' && entry.purpose === 'compact'),
    ).toHaveLength(2);
  });

  it('leaves everything as it was when the summary fails', () => {
    const faults = `${SUMMARY.slice(0, -3)}, faults: [{ call: compact, error: empty_summary }] }\n`;
    const [run] = replayAll(steady('baselines/summarise', 8, 1_000, faults), SET);
    expect(run!.layers[0]).toMatchObject({ outcome: 'failed', failure: 'no-summary', saved: 0 });
    expect(run!.main.at(-1)!.prompt).toBe(1_100 + 7 * 1_000);
  });
});
