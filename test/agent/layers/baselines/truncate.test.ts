import { describe, expect, it } from 'vitest';
import { runSent, sentFor } from '../../../helpers/capture.js';
import { Conversation } from '../../../helpers/generators/conversation.js';
import { ofType, planOf } from '../../../helpers/plan.js';
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
    expect(run!.layers[0]).toMatchObject({ trueAfter: 9_100, saved: 12_000, details: { rule: 'truncate' } });
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

  it('never drops the latest round, however much of the context it is', () => {
    const talk = new Conversation({ toolsTokens: 2_000, systemTokens: 1_000 }).human(100);
    for (const tokens of [1_000, 1_000, 20_000]) talk.tools([{ tool: 'Task', tokens }]);
    const plan = planOf({ policy: 'baselines/truncate', window: 41_000 });
    const { entries, sent } = runSent(plan, talk.answer(10).transcript());
    // 25,160 tokens are over 21,000; half of the 22,160 of messages would reach into the last round of 20,020.
    expect(ofType(entries, 'layer')).toMatchObject([{ trueBefore: 25_160, saved: 2_040 }]);
    const { blocks, tokens } = sentFor(sent, 'main').at(-1)!;
    expect(tokens).toBe(3_000 + 100 + 20_020);
    expect(blocks!.at(-1)).toMatchObject({ kind: 'tool_result', tokens: 20_000 });
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
