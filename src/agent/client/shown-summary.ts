import { oncePer } from '../../core/base/once.js';
import { messageTokens } from '../../core/model/message.js';
import type { Transcript } from '../../core/model/transcript.js';
import type { ParamValues } from '../../core/run/params.js';
import type { FakeLlmPlan } from '../../core/run/run-plan.js';
import { DEFAULT_FAKE_LLM } from '../../provider/fake-llm/fake-plan.js';
import { SUMMARY_FRAME_TOKENS } from '../layers/rules/new-history.js';

/** Scratchpad in front of a summary, as a part of it: assumed, as in the plan of the fake LLM. */
const SCRATCHPAD_SHARE = 0.2;

/** The median length of a recording's own summaries, in their frame; null where it holds none. @internal */
export const shownSummaryTokens = oncePer(({ threads }: Transcript): number | null => {
  const lengths: number[] = [];
  for (const { steps } of threads)
    for (const step of steps) {
      if (step.kind !== 'event' || step.event.kind !== 'recorded-compaction') continue;
      const { summary } = step.event;
      if (summary !== null) lengths.push(messageTokens(summary));
    }
  lengths.sort((a, b) => a - b);
  return lengths[Math.floor(lengths.length / 2)] ?? null;
});

function isDefault(plan: FakeLlmPlan, name: 'summaryTokens' | 'scratchpadTokens'): boolean {
  return JSON.stringify(plan[name]) === JSON.stringify(DEFAULT_FAKE_LLM[name]);
}

/**
 * How the fake LLM writes summaries over a recording (R19): as long as the session's own ones, where it holds any and the plan says
 * nothing. A client that keeps the scratchpad has recorded it with them.
 */
export function shownAnswers(plan: FakeLlmPlan, params: ParamValues, transcript: Transcript): FakeLlmPlan {
  const shown = shownSummaryTokens(transcript);
  if (shown === null || !isDefault(plan, 'summaryTokens')) return plan;
  const framed = Math.max(1, shown - SUMMARY_FRAME_TOKENS);
  const keepsScratchpad = params['compact.scratchpad'] === 'keep';
  const fixed = Math.round(keepsScratchpad ? framed / (1 + SCRATCHPAD_SHARE) : framed);
  return {
    ...plan,
    summaryTokens: { fixed },
    ...(isDefault(plan, 'scratchpadTokens')
      ? { scratchpadTokens: { fixed: Math.round(fixed * SCRATCHPAD_SHARE) } }
      : {}),
  };
}
