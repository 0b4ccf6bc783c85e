import type { Distribution } from './distribution.js';

/** Everything about a generated session that is drawn at random. */
export interface SessionShape {
  /** API calls that one human prompt leads to. */
  readonly callsPerPrompt: Distribution;
  /** From the end of the last response to the next human prompt. */
  readonly humanIdleSeconds: Distribution;
  readonly humanPromptChars: Distribution;
  readonly outputTokens: Distribution;
  /** Tool calls in a response that uses tools. */
  readonly toolCallsPerResponse: Distribution;
  /** System, tools, memory files and the first human prompt. */
  readonly firstPromptTokens: Distribution;
  readonly charsPerToken: Distribution;
  /** Tokens of one image. */
  readonly imageTokens: Distribution;
  /** Share of human prompts that hold an image. */
  readonly imagePromptShare: number;
  /** Share of human prompts that begin with a statement, be it worth keeping or not (`statements.ts`). */
  readonly statementShare: number;
  /** Share of file accesses that go to a file seen before. */
  readonly revisitShare: number;
  /** Share of responses with a thinking block. */
  readonly thinkingShare: number;
  /** Factor on the size of every tool result. */
  readonly resultScale: number;
  /** Factors on the recorded shares of tools, by name; others keep theirs. */
  readonly toolWeights: Readonly<Record<string, number>>;
}

/**
 * The shape of recorded sessions. Quantiles named in E6 are exact: calls per prompt p50 and p90; idle p50, p75, p90, p95,
 * p99; output p50 and p90; first prompt p25, p50, p75 (p2 and p98 from the recorded first requests); characters per token
 * p5, p50, p95. Human prompts follow 166 prompts of the shared recordings. The rest continues these; the tail of
 * the output is set so that the growth of the prompt per call meets E6 (p50 599, p90 2,840, p99 13,277).
 */
export const RECORDED_SHAPE: SessionShape = {
  callsPerPrompt: { p: [0, 0.25, 0.5, 0.9, 0.99, 1], v: [1, 2, 6, 30, 100, 200] },
  humanIdleSeconds: {
    p: [0, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1],
    v: [2, 40, 116, 343, 1_223, 2_842, 36_000, 172_800],
  },
  humanPromptChars: {
    p: [0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1],
    v: [1, 18, 37, 120, 308, 3_781, 6_363, 22_326, 49_926],
  },
  outputTokens: {
    p: [0, 0.1, 0.5, 0.75, 0.9, 0.95, 0.99, 1],
    v: [20, 90, 291, 520, 1_522, 2_200, 4_500, 32_000],
  },
  toolCallsPerResponse: {
    p: [0, 0.888, 0.8881, 0.962, 0.9621, 0.985, 0.9851, 1],
    v: [1, 1, 2, 2, 3, 3, 4, 8],
  },
  firstPromptTokens: {
    p: [0, 0.02, 0.25, 0.5, 0.75, 0.98, 1],
    v: [15_000, 19_600, 27_000, 34_700, 42_400, 72_100, 90_000],
  },
  charsPerToken: { p: [0, 0.05, 0.5, 0.95, 1], v: [1.4, 1.88, 2.75, 3.72, 4.6] },
  // An image costs about width × height / 750 tokens and is scaled down beyond about 1,600 (API documentation).
  imageTokens: { p: [0, 0.5, 1], v: [200, 1_300, 1_600] },
  imagePromptShare: 0,
  // Assumed. The rules of docs/memory-rules.md find a statement in 1 of 263 recorded prompts: too few to see a layer at work.
  statementShare: 0.08,
  revisitShare: 0.4,
  thinkingShare: 0,
  resultScale: 1,
  toolWeights: { Task: 0, mcp__playwright__browser_take_screenshot: 0 },
};
