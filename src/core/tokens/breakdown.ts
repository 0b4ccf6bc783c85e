import { ratio, sum } from '../base/stats.js';
import type { Block } from '../model/block.js';
import type { Message } from '../model/message.js';

/** What a breakdown adds up: billed tokens, or the rough estimate a client sees. */
export type Measure = 'true' | 'rough';

/** Tokens and blocks of one tool. */
export interface ToolTokens {
  readonly tool: string;
  readonly tokens: number;
  readonly count: number;
}

/** A file that was read more than once (TOK-8). */
export interface DuplicateRead {
  readonly path: string;
  readonly count: number;
  /** Tokens of all its reads. */
  readonly tokens: number;
  /** Tokens that one average read would have saved. */
  readonly waste: number;
}

/** Where the tokens of a conversation sit (TOK-7). Lists are sorted by size, then by name. */
export interface Breakdown {
  readonly human: number;
  readonly assistant: number;
  readonly localCommandOutput: number;
  /** Thinking, images, documents and everything else. */
  readonly other: number;
  readonly toolRequests: readonly ToolTokens[];
  readonly toolResults: readonly ToolTokens[];
  readonly attachments: readonly { readonly type: string; readonly count: number }[];
  readonly total: number;
  readonly duplicateReads: readonly DuplicateRead[];
  readonly duplicateReadTokens: number;
  /** Share of the total; null when there is nothing. */
  readonly duplicateReadShare: number | null;
}

/** The tool whose results are file reads (TOK-8). */
const READ_TOOL = 'Read';
/** Name for results whose call is not in the list. */
const UNKNOWN_TOOL = 'unknown';

interface Tally {
  readonly name: string;
  tokens: number;
  count: number;
}

/** Calls and results of one tool. */
interface ToolTally {
  readonly name: string;
  readonly requests: Tally;
  readonly results: Tally;
}

function emptyTally(name: string): Tally {
  return { name, tokens: 0, count: 0 };
}

function count(tally: Tally, tokens: number): void {
  tally.tokens += tokens;
  tally.count += 1;
}

function add(tallies: Map<string, Tally>, name: string, tokens: number): void {
  let tally = tallies.get(name);
  if (tally === undefined) {
    tally = emptyTally(name);
    tallies.set(name, tally);
  }
  count(tally, tokens);
}

/** Largest first; equal ones in code-unit order of their names. */
function sorted(tallies: Iterable<Tally>, size: (tally: Tally) => number): readonly Tally[] {
  return [...tallies].sort((a, b) => size(b) - size(a) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** Adds blocks up, one by one. */
class Tallies {
  readonly tools = new Map<string, ToolTally>();
  readonly attachments = new Map<string, Tally>();
  readonly reads = new Map<string, Tally>();
  human = 0;
  assistant = 0;
  localCommandOutput = 0;
  other = 0;
  total = 0;
  private calls: ReadonlyMap<string, Block> | null = null;
  /** The tool that came last: a call and its result mostly follow each other. */
  private latest: ToolTally | null = null;

  constructor(private readonly messages: readonly Message[]) {}

  add(message: Message, block: Block, tokens: number): void {
    this.total += tokens;
    if (block.kind === 'tool_use') count(this.of(block.tool ?? UNKNOWN_TOOL).requests, tokens);
    else if (block.kind === 'tool_result') this.addResult(block, tokens);
    else if (block.kind !== 'text') this.other += tokens;
    else if (message.role === 'assistant') this.assistant += tokens;
    else if (block.facts.localCommand === true) this.localCommandOutput += tokens;
    else this.human += tokens;
  }

  private addResult(block: Block, tokens: number): void {
    const tool = block.tool ?? this.callOf(block)?.tool ?? UNKNOWN_TOOL;
    count(this.of(tool).results, tokens);
    if (tool !== READ_TOOL) return;
    const path = block.facts.path ?? this.callOf(block)?.facts.path;
    if (path !== undefined) add(this.reads, path, tokens);
  }

  private of(tool: string): ToolTally {
    if (this.latest?.name === tool) return this.latest;
    let tally = this.tools.get(tool);
    if (tally === undefined) {
      tally = { name: tool, requests: emptyTally(tool), results: emptyTally(tool) };
      this.tools.set(tool, tally);
    }
    this.latest = tally;
    return tally;
  }

  /** The call of a result that does not tell by itself what it is. */
  private callOf({ toolUseId }: Block): Block | undefined {
    this.calls ??= callsOf(this.messages);
    return toolUseId === null ? undefined : this.calls.get(toolUseId);
  }
}

function callsOf(messages: readonly Message[]): ReadonlyMap<string, Block> {
  const calls = new Map<string, Block>();
  for (const { blocks } of messages)
    for (const block of blocks)
      if (block.kind === 'tool_use' && block.toolUseId !== null) calls.set(block.toolUseId, block);
  return calls;
}

/** Adds up the flattened messages by where their tokens sit (TOK-7, TOK-8). */
export function breakdown(messages: readonly Message[], measure: Measure): Breakdown {
  const tallies = new Tallies(messages);
  for (let m = 0; m < messages.length; m++) {
    const message = messages[m]!;
    const { blocks } = message;
    for (let i = 0; i < blocks.length; i++) {
      const block = blocks[i]!;
      if (block.facts.attachment !== undefined) countAttachment(message, i, tallies.attachments);
      tallies.add(message, block, measure === 'true' ? block.tokens : block.rough);
    }
  }
  return breakdownOf(tallies);
}

function breakdownOf(tallies: Tallies): Breakdown {
  const { human, assistant, localCommandOutput, other, total } = tallies;
  const duplicateReads = listDuplicates(tallies.reads);
  const duplicateReadTokens = sum(duplicateReads.map((read) => read.waste));
  return {
    human,
    assistant,
    localCommandOutput,
    other,
    toolRequests: listTools(tallies.tools, 'requests'),
    toolResults: listTools(tallies.tools, 'results'),
    attachments: sorted(tallies.attachments.values(), ({ count }) => count).map(({ name, count }) => ({
      type: name,
      count,
    })),
    total,
    duplicateReads,
    duplicateReadTokens,
    duplicateReadShare: ratio(duplicateReadTokens, total),
  };
}

/** An attachment of several blocks counts once while it is a message of its own. */
function countAttachment({ blocks, origin }: Message, index: number, attachments: Map<string, Tally>): void {
  const type = blocks[index]!.facts.attachment!;
  const isRepeated =
    origin === 'attachment' && blocks.findIndex(({ facts }) => facts.attachment === type) < index;
  if (!isRepeated) add(attachments, type, 0);
}

function listTools(
  tools: ReadonlyMap<string, ToolTally>,
  which: 'requests' | 'results',
): readonly ToolTokens[] {
  const used = [...tools.values()].map((tool) => tool[which]).filter(({ count }) => count > 0);
  return sorted(used, ({ tokens }) => tokens).map(({ name, tokens, count }) => ({
    tool: name,
    tokens,
    count,
  }));
}

/** Tokens that one average read of a file would have saved (TOK-8). */
function waste({ tokens, count }: Tally): number {
  return Math.floor(tokens / count) * (count - 1);
}

function listDuplicates(reads: ReadonlyMap<string, Tally>): readonly DuplicateRead[] {
  const repeated = [...reads.values()].filter(({ count }) => count > 1);
  return sorted(repeated, waste).map((read) => ({
    path: read.name,
    count: read.count,
    tokens: read.tokens,
    waste: waste(read),
  }));
}

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
