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

/** The tool that finds other tools. */
export const SEARCH_TOOL = 'ToolSearch';

/** The tool that starts a subagent. */
export const SUBAGENT_TOOL = 'Task';
