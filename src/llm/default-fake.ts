import type { FakeLlmPlan } from '../model/run-plan.js';

/** How the fake LLM answers unless somebody says otherwise. */
export const DEFAULT_FAKE_LLM: FakeLlmPlan = {
  summaryTokens: { median: 4_400, p90: 6_500, min: 1_600, max: 9_000 }, // E6: 4.4–24.5 K characters, median 12 K, 2.75 a token
  scratchpadTokens: { median: 900, p90: 1_800, min: 200, max: 4_000 }, // assumed: a fifth of a summary
  notesTokens: { median: 1_200, p90: 2_400, min: 300, max: 6_000 }, // assumed: a quarter of a summary
  latencyScale: 1,
};
