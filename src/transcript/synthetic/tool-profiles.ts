import type { QuantileTable } from './distribution.js';

/** How a tool shows in recorded sessions: how often, how large its input and result, how slow, how often it fails. */
export interface ToolProfile {
  readonly name: string;
  /** Share of all tool calls. */
  readonly share: number;
  readonly errorRate: number;
  readonly inputCharsP50: number;
  readonly resultChars: QuantileTable;
  readonly latencySeconds: QuantileTable;
  /** What the tool's result looks like. */
  readonly style: 'code' | 'output' | 'words';
  /** The tool works on one file. */
  readonly onFile: boolean;
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
];

/** Results below the recorded fifth percentile reach down to this. */
const SMALLEST_RESULT_CHARS = 14;

const FILE_TOOLS = new Set(['Read', 'Edit', 'Write']);

/** The tool that starts a subagent. */
export const SUBAGENT_TOOL = 'Task';

/** The profiles of the tools the generator knows, the most used first. */
export const TOOL_PROFILES: readonly ToolProfile[] = ROWS.map(
  ([name, share, errorRate, inputCharsP50, results, [fast, slow, slowest], style]) => ({
    name,
    share,
    errorRate,
    inputCharsP50,
    resultChars: {
      p: [0, 0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1],
      v: [Math.min(results[0], SMALLEST_RESULT_CHARS), ...results],
    },
    latencySeconds: { p: [0, 0.5, 0.9, 0.99, 1], v: [fast / 4, fast, slow, slowest, slowest] },
    style,
    onFile: FILE_TOOLS.has(name),
    lean: leanOf(inputCharsP50),
    images: name === SCREENSHOT_TOOL ? 1 : 0,
  }),
);

/** Inputs as large as the median one (Bash) lean to neither side. */
function leanOf(inputCharsP50: number): number {
  if (inputCharsP50 < 147) return 1;
  return inputCharsP50 > 500 ? -1 : 0;
}
