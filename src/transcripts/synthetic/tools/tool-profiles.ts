import type { QuantileTable } from '../distribution.js';

/** How a tool shows in recorded sessions: how often, how large its input and result, how slow, how often it fails. */
export interface ToolProfile {
  readonly name: string;
  /** Share of all tool calls. */
  readonly share: number;
  readonly errorRate: number;
  readonly inputCharsP50: number;
  /** Input sizes around that median. */
  readonly inputSpread: QuantileTable;
  readonly resultChars: QuantileTable;
  readonly latencySeconds: QuantileTable;
  /** What the tool's result looks like. */
  readonly style: 'code' | 'output' | 'words';
  /** What decides how often it is called: the mix of plain work, or a share of its own. */
  readonly group: 'plain' | 'skill' | 'todo' | 'mcp' | 'plan';
  /** From -1 (goes with long outputs) to 1 (goes with short ones); by the size of the input. */
  readonly lean: number;
  /** Images in each result. */
  readonly images: number;
}

type Row = readonly [
  name: string,
  share: number,
  errorRate: number,
  inputCharsP50: number,
  resultChars: readonly [
    p5: number,
    p25: number,
    p50: number,
    p75: number,
    p90: number,
    p95: number,
    p99: number,
    max: number,
  ],
  latencySeconds: readonly [p50: number, p90: number, p99: number],
  style: ToolProfile['style'],
];

/** The tool whose results are pictures. */
export const SCREENSHOT_TOOL = 'mcp__playwright__browser_take_screenshot';

/** Facts from 47,160 recorded tool calls (E6, derived table tool-stats). Latencies of 0.00 are below 5 ms. */
const ROWS: readonly Row[] = [
  [
    'Bash',
    0.35537,
    0.0697,
    147,
    [1, 79, 299, 964, 2621, 4960, 12700, 30088],
    [1.77, 24.53, 424.72],
    'output',
  ],
  [
    'Read',
    0.21697,
    0.015,
    108,
    [363, 1153, 2304, 5088, 14062, 23479, 46979, 84833],
    [0.02, 0.29, 2.17],
    'code',
  ],
  ['Edit', 0.19604, 0.0465, 828, [90, 108, 124, 165, 315, 955, 2481, 13702], [0.05, 5.07, 204.07], 'words'],
  ['Grep', 0.08077, 0.0134, 143, [16, 77, 363, 1520, 3852, 6287, 15321, 20031], [0.36, 0.89, 3.87], 'output'],
  ['TaskUpdate', 0.03336, 0.0013, 39, [22, 22, 22, 22, 23, 23, 26, 58], [0, 0.03, 0.5], 'words'],
  [
    'Write',
    0.01997,
    0.0149,
    3125,
    [81, 95, 114, 162, 238, 7173, 17466, 32963],
    [0.05, 6.59, 208.49],
    'words',
  ],
  ['TaskCreate', 0.01771, 0.0012, 246, [54, 64, 72, 81, 91, 98, 113, 542], [0, 0.03, 0.69], 'words'],
  ['Glob', 0.01537, 0.0166, 43, [14, 14, 88, 356, 1828, 3010, 8024, 11741], [0.38, 2.24, 4.68], 'output'],
  ['TodoWrite', 0.00944, 0.0067, 665, [160, 160, 160, 160, 160, 160, 160, 160], [0.06, 0.31, 30.52], 'words'],
  [
    'Task',
    0.00795,
    0.0373,
    957,
    [425, 2037, 5628, 10165, 14978, 18495, 26516, 32721],
    [75.1, 564.86, 4193.52],
    'words',
  ],
  ['Skill', 0.0049, 0.1169, 35, [23, 29, 36, 47, 54, 56, 88, 436], [0.02, 0.31, 172.71], 'words'],
  [
    'WebFetch',
    0.00274,
    0.1085,
    243,
    [35, 818, 1134, 1399, 3239, 9636, 73469, 77914],
    [5.7, 30.83, 137.49],
    'words',
  ],
  [
    'WebSearch',
    0.00131,
    0,
    76,
    [1640, 2689, 2990, 3278, 4088, 4467, 7529, 7529],
    [16.91, 97.34, 216.29],
    'words',
  ],
  [
    SCREENSHOT_TOOL,
    0.00017,
    0.125,
    65,
    [111, 257, 412, 2142, 2261, 2261, 2261, 2261],
    [0.77, 5.12, 5.12],
    'output',
  ],
  [
    'mcp__browser__javascript_tool',
    0.00242,
    0.0351,
    465,
    [121, 133, 245, 403, 708, 929, 1302, 2687],
    [2.15, 3.09, 5.55],
    'output',
  ],
  [
    'mcp__playwright__browser_click',
    0.00144,
    0.0735,
    44,
    [221, 303, 651, 1524, 2809, 3756, 9175, 9175],
    [2.08, 3.4, 5.04],
    'output',
  ],
  [
    'mcp__playwright__browser_navigate',
    0.00087,
    0.0732,
    32,
    [124, 793, 794, 794, 1099, 1638, 9139, 9139],
    [0.6, 5.24, 8.29],
    'output',
  ],
  [
    'mcp__playwright__browser_evaluate',
    0.00076,
    0.0556,
    408,
    [225, 638, 1059, 1412, 2737, 3002, 3218, 3218],
    [1.04, 2.41, 827.45],
    'output',
  ],
  [
    'mcp__linear-server__create_issue',
    0.00057,
    0.3704,
    1409,
    [25, 222, 1460, 2133, 2883, 3460, 5247, 5247],
    [10.04, 63.67, 96.68],
    'words',
  ],
  [
    'mcp__linear-server__get_issue',
    0.00032,
    0.0667,
    17,
    [58, 1023, 1280, 1747, 2330, 5591, 5591, 5591],
    [0.96, 6.44, 9.8],
    'words',
  ],
  [
    'mcp__context7__query-docs',
    0.00015,
    0,
    174,
    [1473, 1967, 5311, 6759, 7823, 7823, 7823, 7823],
    [5.55, 7.28, 7.28],
    'words',
  ],
  // The results of a search are definitions, not words.
  ['ToolSearch', 0.00109, 0, 50, [0, 0, 0, 0, 0, 0, 0, 0], [0, 0.08, 2.73], 'words'],
  ['EnterPlanMode', 0.0004, 0, 2, [581, 581, 581, 581, 581, 581, 581, 581], [0, 0.12, 0.12], 'words'],
  [
    'ExitPlanMode',
    0.00174,
    0.6707,
    4312,
    [225, 225, 356, 3308, 6323, 7115, 18438, 18438],
    [92.01, 458.62, 9628.6],
    'words',
  ],
];

/** Input sizes around the recorded median, of which no other quantile is known. */
const INPUT_SPREAD: QuantileTable = { p: [0, 0.5, 0.9, 1], v: [0.3, 1, 2.5, 8] };

/** The same for the tools that carry content, by 988 edits and 134 writes of the shared recordings. */
const CONTENT_SPREAD: Readonly<Record<string, QuantileTable>> = {
  Edit: {
    p: [0, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1],
    v: [0.15, 0.3, 0.38, 0.6, 1, 1.85, 3.35, 5.13, 11.2, 28],
  },
  Write: {
    p: [0, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1],
    v: [0.1, 0.17, 0.28, 0.55, 1, 2, 4.15, 5.7, 8, 20.8],
  },
};

/** Results below the recorded fifth percentile reach down to this. */
const SMALLEST_RESULT_CHARS = 14;

/** The tool that finds other tools. */
export const SEARCH_TOOL = 'ToolSearch';

/** The tool that starts a subagent. */
export const SUBAGENT_TOOL = 'Task';

/** The profiles of the tools the generator knows, the most used first. */
export const TOOL_PROFILES: readonly ToolProfile[] = ROWS.map(
  ([name, share, errorRate, inputCharsP50, results, [fast, slow, slowest], style]) => ({
    name,
    share,
    errorRate,
    inputCharsP50,
    inputSpread: CONTENT_SPREAD[name] ?? INPUT_SPREAD,
    resultChars: {
      p: [0, 0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1],
      v: [Math.min(results[0], SMALLEST_RESULT_CHARS), ...results],
    },
    latencySeconds: { p: [0, 0.5, 0.9, 0.99, 1], v: [fast / 4, fast, slow, slowest, slowest] },
    style,
    group: groupOf(name),
    lean: leanOf(inputCharsP50),
    images: name === SCREENSHOT_TOOL ? 1 : 0,
  }),
);

function groupOf(name: string): ToolProfile['group'] {
  if (name === 'Skill') return 'skill';
  if (name === 'TodoWrite' || name === 'TaskCreate' || name === 'TaskUpdate') return 'todo';
  if (name === 'EnterPlanMode' || name === 'ExitPlanMode') return 'plan';
  if (name === SEARCH_TOOL) return 'mcp';
  return name.startsWith('mcp__') && name !== SCREENSHOT_TOOL ? 'mcp' : 'plain';
}

/** Inputs as large as the median one (Bash) lean to neither side. */
function leanOf(inputCharsP50: number): number {
  if (inputCharsP50 < 147) return 1;
  return inputCharsP50 > 500 ? -1 : 0;
}
