import { describe, expect, it } from 'vitest';
import {
  shownAnswers,
  shownPrefixTokens,
  shownSummaryTokens,
  withShownPrefix,
} from '../../../src/agent/client/shown-prefix.js';
import { messageTokens, textMessage } from '../../../src/core/model/message.js';
import type { Step, Thread, ThreadEvent, Transcript } from '../../../src/core/model/transcript.js';
import type { Usage } from '../../../src/core/model/usage.js';
import type { RunPlan } from '../../../src/core/run/run-plan.js';
import { DEFAULT_FAKE_LLM } from '../../../src/provider/fake-llm/fake-llm.js';
import { Conversation } from '../../helpers/generators/conversation.js';
import { mainRequests, planOf, runLog } from '../../helpers/plan.js';

const usage = (cacheRead: number, cacheWrite5m: number): Usage => ({
  input: 0,
  cacheRead,
  cacheWrite5m,
  cacheWrite1h: 0,
  output: 10,
});

/** A recording whose first request is cold, with a compaction behind which so much was read after so many minutes. */
function recording(readBehind: number, minutes = 1): Transcript {
  const talk = new Conversation({ toolsTokens: 12_000, systemTokens: 3_877 })
    .human(8_882)
    .answer(10, { usage: usage(0, 24_759) })
    .compaction('auto', 200)
    .wait(minutes * 60)
    .human(100)
    .answer(10, { usage: usage(readBehind, 2_000) });
  return talk.transcript({ source: 'claude-code', agentVersion: '2.1.112' });
}

const main = ({ threads }: Transcript): Thread => threads[0]!;
const prefixOf = (transcript: Transcript) =>
  main(transcript).prefix.reduce((sum, { tokens }) => sum + tokens, 0);

describe('R18 system and tools', () => {
  it('are what the first request behind a recorded compaction read: 24,659, not 15,877', () => {
    expect(prefixOf(recording(24_659))).toBe(15_877);
    expect(shownPrefixTokens(main(recording(24_659)))).toBe(24_659);
    expect(prefixOf(withShownPrefix(recording(24_659)))).toBe(24_659);
  });

  it('are as assumed where that request was not warm, or read more than the first prompt held', () => {
    expect(shownPrefixTokens(main(recording(0)))).toBeNull();
    expect(shownPrefixTokens(main(recording(24_659, 6)))).toBeNull();
    expect(shownPrefixTokens(main(recording(30_000)))).toBeNull();
    const same = recording(0);
    expect(withShownPrefix(same)).toBe(same);
  });

  it('are what two requests fell back to where results were cleared without a line: 17,594, not 14,488', () => {
    const talk = new Conversation({ toolsTokens: 11_000, systemTokens: 3_488 }).human(4_000);
    const reads = [0, 18_000, 20_000, 17_594, 19_000];
    for (const read of reads) talk.answer(10, { usage: usage(read, read === 0 ? 18_500 : 1_000) }).human(10);
    expect(shownPrefixTokens(talk.thread())).toBeNull();
    talk.answer(10, { usage: usage(17_594, 1_000) });
    expect(shownPrefixTokens(talk.thread())).toBe(17_594);
  });

  it('of a smaller size leave reminders in front, so that the first prompt stays as it was', () => {
    const shown = withShownPrefix(recording(14_000));
    const [first] = main(shown).steps;
    expect(first).toMatchObject({
      kind: 'message',
      message: { origin: 'context', blocks: [{ tokens: 1_877 }] },
    });
  });

  it.each(['resume', 'clear', 'model-switch'] as const)(
    'are as assumed behind a %s: the request before it tells nothing of what was warm',
    (kind) => {
      const talk = new Conversation({ toolsTokens: 11_000, systemTokens: 3_000 }).human(4_000);
      talk.answer(10, { usage: usage(0, 18_500) }).compaction('auto', 200);
      talk.event((at) => ({ kind, at }) as ThreadEvent).human(10);
      talk.answer(10, { usage: usage(16_000, 1_000) });
      expect(shownPrefixTokens(talk.thread())).toBeNull();
    },
  );

  it('take from the reminders behind them what they are larger by, each block by its share', () => {
    // Tools and system prompt are assumed to have 9,000 and 6,000 tokens; the reminders have 900.
    const sizes = (shown: number) => {
      const talk = new Conversation({ toolsTokens: 9_000, systemTokens: 6_000 }).human(9_000);
      talk
        .answer(10, { usage: usage(0, 26_000) })
        .compaction('auto', 200)
        .human(10);
      const transcript = talk.answer(10, { usage: usage(shown, 2_000) }).transcript();
      const facts = { attachment: 'opening-context' };
      const opening = textMessage({ id: 'o', origin: 'context', at: 0 }, { tokens: 900, rough: 0, facts });
      const thread = main(transcript);
      const steps: readonly Step[] = [{ kind: 'message', message: opening }, ...thread.steps];
      const found = main(withShownPrefix({ ...transcript, threads: [{ ...thread, steps }] }));
      const [first] = found.steps;
      const front = first?.kind === 'message' ? messageTokens(first.message) : null;
      return [found.prefix.map(({ tokens }) => tokens), front, found.steps.length - thread.steps.length];
    };
    // 15,301 · 9,000 / 15,000 = 9,180.6, and the rest is 6,120.
    expect(sizes(15_301)).toEqual([[9_181, 6_120], 599, 1]);
    // Smaller ones leave more to the reminders; with nothing left, no message stays, and the first is the user's.
    expect(sizes(14_000)).toEqual([[8_400, 5_600], 1_900, 1]);
    expect(sizes(15_900)).toEqual([[9_540, 6_360], 9_000, 0]);
    expect(sizes(16_500)).toEqual([[9_900, 6_600], 9_000, 0]);
  });

  it('are those of a what-if, not of a prediction, which does not look', () => {
    const first = (mode: 'predict' | undefined) => {
      const { mode: _, ...rest } = planOf({ policy: 'claude-code/2.1.112' });
      const plan: RunPlan = mode === undefined ? rest : { ...rest, mode };
      const log = runLog(plan, recording(24_659));
      const thread = log.find((entry) => entry.type === 'thread');
      return { prefix: thread!.prefixTokens, prompt: mainRequests(log)[0]!.prompt };
    };
    expect(first('predict').prefix).toBe(15_877);
    expect(first(undefined)).toEqual({ prefix: 24_659, prompt: 24_759 });
  });
});

/** A recording with summaries of these lengths. */
const summarised = (...lengths: readonly number[]) => {
  const talk = new Conversation().turn(100, 10);
  for (const tokens of lengths) talk.compaction('auto', tokens).turn(10, 10);
  return talk.transcript();
};

describe('R19 the length of summaries', () => {
  it('is the median of those that the recording holds', () => {
    expect(shownSummaryTokens(summarised())).toBeNull();
    expect(shownSummaryTokens(summarised(3_762))).toBe(3_762);
    expect(shownSummaryTokens(summarised(9_000, 3_000, 3_762))).toBe(3_762);
  });

  it('is not drawn then: 3,762 every time in the new context, with a fifth of scratchpad before it', () => {
    const answers = shownAnswers(DEFAULT_FAKE_LLM, {}, summarised(3_762));
    expect(answers.summaryTokens).toEqual({ fixed: 3_762 - 45 }); // Without the frame.
    expect(answers.scratchpadTokens).toEqual({ fixed: 743 });
    const kept = shownAnswers(DEFAULT_FAKE_LLM, { 'compact.scratchpad': 'keep' }, summarised(3_762));
    expect([kept.summaryTokens, kept.scratchpadTokens]).toEqual([{ fixed: 3_098 }, { fixed: 620 }]);
  });

  it('is what the plan says where it says something, and drawn where nothing is recorded', () => {
    const said = { ...DEFAULT_FAKE_LLM, summaryTokens: { fixed: 500 } };
    expect(shownAnswers(said, {}, summarised(3_762))).toBe(said);
    expect(shownAnswers(DEFAULT_FAKE_LLM, {}, summarised())).toBe(DEFAULT_FAKE_LLM);
  });
});
