import { describe, expect, it } from 'vitest';
import { shownAnswers, shownSummaryTokens } from '../../../src/agent/client/shown-prefix.js';
import { DEFAULT_FAKE_LLM } from '../../../src/provider/fake-llm/fake-llm.js';
import { Conversation } from '../../helpers/generators/conversation.js';

/** A recording with summaries of these lengths. */
const recording = (...lengths: readonly number[]) => {
  const talk = new Conversation().human(100).answer(10);
  for (const tokens of lengths) talk.compaction('auto', tokens).human(10).answer(10);
  return talk.transcript();
};

describe('R19 the length of summaries', () => {
  it('is the median of those that the recording holds', () => {
    expect(shownSummaryTokens(recording())).toBeNull();
    expect(shownSummaryTokens(recording(3_762))).toBe(3_762);
    expect(shownSummaryTokens(recording(9_000, 3_000, 3_762))).toBe(3_762);
  });

  it('is not drawn then: 3,762 every time in the new context, with a fifth of scratchpad before it', () => {
    const answers = shownAnswers(DEFAULT_FAKE_LLM, {}, recording(3_762));
    expect(answers.summaryTokens).toEqual({ fixed: 3_762 - 45 }); // Without the frame.
    expect(answers.scratchpadTokens).toEqual({ fixed: 743 });
    const kept = shownAnswers(DEFAULT_FAKE_LLM, { 'compact.scratchpad': 'keep' }, recording(3_762));
    expect([kept.summaryTokens, kept.scratchpadTokens]).toEqual([{ fixed: 3_098 }, { fixed: 620 }]);
  });

  it('is what the plan says where it says something, and drawn where nothing is recorded', () => {
    const said = { ...DEFAULT_FAKE_LLM, summaryTokens: { fixed: 500 } };
    expect(shownAnswers(said, {}, recording(3_762))).toBe(said);
    expect(shownAnswers(DEFAULT_FAKE_LLM, {}, recording())).toBe(DEFAULT_FAKE_LLM);
  });
});
