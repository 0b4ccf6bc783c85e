import { sum } from '../base/stats.js';
import type { Breakdown, ToolTokens } from './breakdown.js';

/** A tool's part of the total in whole percent. */
export interface ToolPercent {
  readonly tool: string;
  readonly percent: number;
}

/** A breakdown in whole percent of its total (TOK-9). */
export interface Percentages {
  readonly human: number;
  readonly assistant: number;
  readonly localCommandOutput: number;
  readonly other: number;
  readonly toolRequests: number;
  readonly toolResults: number;
  readonly duplicateReads: number;
  readonly requestsByTool: readonly ToolPercent[];
  readonly resultsByTool: readonly ToolPercent[];
}

/** Rounds each part to a percentage of the total; null when the total is zero (TOK-9). */
export function percentages(parts: Breakdown): Percentages | null {
  const { total } = parts;
  if (total === 0) return null;
  const percent = (tokens: number): number => Math.round((tokens * 100) / total);
  const byTool = (tools: readonly ToolTokens[]): readonly ToolPercent[] =>
    tools.map(({ tool, tokens }) => ({ tool, percent: percent(tokens) }));
  const all = (tools: readonly ToolTokens[]): number => percent(sum(tools.map(({ tokens }) => tokens)));
  return {
    human: percent(parts.human),
    assistant: percent(parts.assistant),
    localCommandOutput: percent(parts.localCommandOutput),
    other: percent(parts.other),
    toolRequests: all(parts.toolRequests),
    toolResults: all(parts.toolResults),
    duplicateReads: percent(parts.duplicateReadTokens),
    requestsByTool: byTool(parts.toolRequests),
    resultsByTool: byTool(parts.toolResults),
  };
}
