import type { Distribution } from './distribution.js';

/** Everything about a generated session that is drawn at random. */
export interface SessionShape {
  /** API calls that one human prompt leads to. */
  readonly callsPerPrompt: Distribution;
  /** From the end of the last response to the next human prompt. */
  readonly humanIdleSeconds: Distribution;
  readonly humanPromptChars: Distribution;
  /** Tokens of a response; one whose tool calls need more has more. */
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
  /** Share of the output that is thinking, where a response has any; tool calls come first. */
  readonly thinkingPart: Distribution;
  /** Share of reads that ask for a part of a file. */
  readonly partialReadShare: number;
  /** Share of tool calls that invoke a skill; 0 also leaves out the listing of skills. */
  readonly skillShare: number;
  /** Characters of a skill's content, which follows its call. */
  readonly skillChars: Distribution;
  /** Characters of the listing of skills at the start. */
  readonly skillListingChars: Distribution;
  /** Share of human prompts that begin plan mode. */
  readonly planShare: number;
  readonly planChars: Distribution;
  /** Share of tool calls on the todo list. */
  readonly todoShare: number;
  /** Calls without the todo list before the client reminds of it; 0: never. */
  readonly todoReminderCalls: Distribution;
  /** Share of tool calls to MCP servers, searches for their tools included; 0 also leaves out their announcements. */
  readonly mcpShare: number;
  /** Share of tool calls that start an agent or a command in the background. */
  readonly backgroundShare: number;
  /** How long it runs. */
  readonly backgroundSeconds: Distribution;
  /** Share of tool calls by which the agent writes its memory. */
  readonly memoryWriteShare: number;
  /** Share of the project's folders that hold a memory file. */
  readonly memoryFolderShare: number;
  readonly memoryFileTokens: Distribution;
  /** Factor on the size of every tool result. */
  readonly resultScale: number;
  /** Factors on the recorded shares of tools, by name, among plain tools and among those of MCP servers. */
  readonly toolWeights: Readonly<Record<string, number>>;
}

/**
 * The shape of recorded sessions. Quantiles named in E6 are exact: calls per prompt p50 and p90; idle p50, p75, p90, p95,
 * p99; first prompt p25, p50, p75 (p2 and p98 from the recorded first requests); characters per token p5, p50, p95. Human
 * prompts follow 166 prompts of the shared recordings. Outputs are set so that responses, which hold their tool calls
 * whole, meet E6 (p50 291, p90 1,522), and so does the growth of the prompt per call (p50 599, p90 2,840, p99 13,277).
 * "Shared recordings" are the 55 sessions of Claude Code: 5,614 responses, 5,907 tool calls; tool-stats counts 47,160.
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
    v: [20, 60, 258, 370, 1_250, 2_000, 7_000, 32_000],
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
  // 2,945 of 5,614 responses of the 55 shared recordings.
  thinkingShare: 0.525,
  // By characters in 2,461 responses with readable thinking and by tokens in 484 with a signature alone.
  thinkingPart: {
    p: [0, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1],
    v: [0.01, 0.07, 0.11, 0.28, 0.48, 0.69, 0.85, 0.91, 0.97, 1],
  },
  // 894 of 1,283 reads of the shared recordings.
  partialReadShare: 0.697,
  // 231 of 47,160 tool calls (tool-stats); 30 of 5,907 in the shared recordings.
  skillShare: 0.0049,
  // 29 skill contents of the shared recordings.
  skillChars: { p: [0, 0.1, 0.25, 0.5, 0.75, 0.9, 1], v: [1_136, 2_391, 2_677, 3_597, 4_708, 9_800, 14_140] },
  // First listings of the nine shared recordings that log attachments.
  skillListingChars: { p: [0, 0.25, 0.5, 0.75, 1], v: [1_398, 3_949, 15_074, 22_315, 22_315] },
  // 82 ExitPlanMode in 47,160 tool calls (tool-stats), two of three rejected: 27 plans in about 3,600 prompts.
  planShare: 0.01,
  // 13 plans of the shared recordings.
  planChars: { p: [0, 0.1, 0.25, 0.5, 0.75, 0.9, 1], v: [2_984, 3_038, 3_562, 4_995, 7_470, 9_657, 12_900] },
  // 2,853 TaskUpdate, TaskCreate and TodoWrite of 47,160 tool calls (tool-stats); 386 of 5,907 in the shared recordings.
  todoShare: 0.0605,
  // Responses between 177 reminders, or the last use of the list, in the shared recordings.
  todoReminderCalls: { p: [0, 0.1, 0.25, 0.5, 0.75, 0.9, 1], v: [3, 6, 6, 7, 8, 9, 10] },
  // 598 calls to MCP servers and 100 searches of 47,160 tool calls (tool-stats).
  mcpShare: 0.0148,
  // 44 agents and 8 commands in 5,907 tool calls of the shared recordings.
  backgroundShare: 0.0088,
  // From the start to the notice, 44 notices of the shared recordings.
  backgroundSeconds: { p: [0, 0.1, 0.25, 0.5, 0.75, 0.9, 1], v: [42, 55, 150, 270, 570, 1_670, 2_740] },
  // 20 writes and edits below `.claude/projects/<project>/memory/` in 5,907 tool calls of the shared recordings.
  memoryWriteShare: 0.0034,
  // 13 attached memory files in the nine shared recordings that log attachments, of twelve folders each.
  memoryFolderShare: 0.12,
  // Contents of 68 and 80 characters.
  memoryFileTokens: { p: [0, 0.5, 1], v: [25, 29, 60] },
  resultScale: 1,
  toolWeights: { Task: 0, mcp__playwright__browser_take_screenshot: 0 },
};
