import type { FakeLlmPlan } from '../../core/run/run-plan.js';

/** How the fake LLM answers unless somebody says otherwise. */
export const DEFAULT_FAKE_LLM: FakeLlmPlan = {
  summaryTokens: { median: 4_400, p90: 6_500, min: 1_600, max: 9_000 }, // E6: 4.4–24.5 K characters, median 12 K, 2.75 a token
  scratchpadTokens: { median: 900, p90: 1_800, min: 200, max: 4_000 }, // assumed: a fifth of a summary
  notesTokens: { median: 350, p90: 900, min: 60, max: 3_000 }, // assumed: 7 % of the growth of 5,000 tokens that leads to an update
  latencyScale: 1,
};
