import { describe, expect, it } from 'vitest';
import { replayAll, steady } from './replay-baseline.js';

const SMALL = 'window: 41000\n';

describe('truncate', () => {
  it('drops the oldest half when the window less its reserve is full, and keeps the opening prompt', () => {
    const [run] = replayAll(steady('baselines/truncate', 12, 2_000, SMALL));
    // 41,000 − 20,000 reserve = 21,000: the prompt of turn 11 would hold 1,100 + 10 × 2,000.
    expect(
      run!.layers.map(({ turn, action, outcome, trueBefore }) => [turn, action, outcome, trueBefore]),
    ).toEqual([[11, 'truncate', 'done', 21_100]]);
    // Half of the 20,100 tokens of messages, rounded up to whole rounds of 2,000: six go.
    expect(run!.layers[0]).toMatchObject({ trueAfter: 9_100, saved: 12_000, details: { rounds: 6 } });
    expect(run!.main.map(({ prompt }) => prompt).slice(9)).toEqual([19_100, 9_100, 11_100]);
    expect(run!.facts.requestsRefused).toBe(0);
  });

  it('writes everything behind the dropped rounds to the cache again', () => {
    const [run] = replayAll(steady('baselines/truncate', 12, 2_000, SMALL));
    const after = run!.main[10]!;
    // Prefix and opening prompt are read; of the four rounds that stay, three had been sent before.
    expect(after).toMatchObject({ read: 1_100, rewritten: 6_000, cause: 'compaction' });
    expect(run!.layers[0]!.cacheLost).toBe(19_100 - 1_100);
  });

  it('answers a refusal, too, and says when nothing is left to drop', () => {
    const blind = `${SMALL}estimatorFactor: 0.01\n`;
    const [run] = replayAll(steady('baselines/truncate', 3, 45_000, blind));
    expect(run!.layers.map(({ trigger, outcome, failure }) => [trigger, outcome, failure])).toEqual([
      ['reactive', 'failed', 'nothing-to-drop'],
    ]);
    expect(run!.facts.requestsRefused).toBe(1);
  });
});
