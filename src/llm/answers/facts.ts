import type { Block } from '../../model/block.js';
import type { Message } from '../../model/message.js';
import { textStart } from '../../model/text.js';
import { EXCERPT_LOOK_CHARS, excerpt } from './exact-text.js';

/** A file of the conversation. */
export interface FileFact {
  readonly path: string;
  readonly uses: readonly string[];
  readonly tokens: number;
}

/** What can be told of a conversation, in the order in which it came up. */
export interface ConversationFacts {
  readonly messages: readonly Message[];
  readonly files: readonly FileFact[];
  readonly tools: readonly { readonly tool: string; readonly calls: number; readonly tokens: number }[];
  readonly errors: readonly string[];
  /** What an earlier summary said, on one line; null when there is none or its text is not known. */
  readonly earlierSummary: string | null;
  readonly firstRequest: string | null;
  readonly lastRequest: string | null;
  readonly lastAnswer: string | null;
}

const QUOTE_CHARS = 240;
const LINE_CHARS = 120;

/** The opening of a block's text on one line; null for an opaque or empty block. */
function opening(block: Block, chars: number): string | null {
  if (block.text === null || block.text.chars === 0) return null;
  const line = excerpt(textStart(block.text, EXCERPT_LOOK_CHARS), chars);
  return line === '' ? null : line;
}

/** Openings that were quoted before: the same request is asked about again and again. */
const QUOTES = new WeakMap<Block, string | null>();

function quoteOf(block: Block): string | null {
  let quote = QUOTES.get(block);
  if (quote === undefined) {
    quote = opening(block, QUOTE_CHARS);
    QUOTES.set(block, quote);
  }
  return quote;
}

function firstOpening(message: Message): string | null {
  for (const block of message.blocks) {
    if (block.kind !== 'text' || block.facts.attachment !== undefined) continue;
    const line = quoteOf(block);
    if (line !== null) return line;
  }
  return null;
}

/** One line on a block: what it is, what it is about, how large, how it begins. */
function describeBlock(block: Block): string {
  const { path, isError } = block.facts;
  const about = path === undefined ? '' : ` about ${excerpt(path, LINE_CHARS)}`;
  const kind = block.kind === 'tool_use' ? 'call' : block.kind === 'tool_result' ? 'result' : block.kind;
  const failed = isError === true ? ', failed' : '';
  const words = block.kind === 'thinking' ? null : opening(block, LINE_CHARS);
  const what = block.tool === null ? `${block.role} ${kind}` : `${toolName(block.tool)} ${kind}`;
  return `- ${what}${about}, ${block.tokens} tokens${failed}${words === null ? '' : `: ${words}`}`;
}

/** One line for each block of the messages, in order. */
export function* walkBlocks(messages: readonly Message[]): Generator<string> {
  for (const message of messages) for (const block of message.blocks) yield describeBlock(block);
}

/** How the latest message of an origin begins; null when there is none with words. */
export function lastOf(messages: readonly Message[], origin: Message['origin']): string | null {
  for (let i = messages.length - 1; i >= 0; i--) {
    if (messages[i]!.origin !== origin) continue;
    const line = firstOpening(messages[i]!);
    if (line !== null) return line;
  }
  return null;
}

/** How the first message of an origin begins; null when there is none with words. */
export function firstOf(messages: readonly Message[], origin: Message['origin']): string | null {
  for (const message of messages) {
    if (message.origin !== origin) continue;
    const line = firstOpening(message);
    if (line !== null) return line;
  }
  return null;
}

/** The first file that came up; null when there is none. */
export function firstFile(messages: readonly Message[]): string | null {
  for (const message of messages)
    for (const { facts } of message.blocks)
      if (facts.path !== undefined) return excerpt(facts.path, LINE_CHARS);
  return null;
}

/** The first tool that was used; null when there is none. */
export function firstTool(messages: readonly Message[]): string | null {
  for (const message of messages)
    for (const { kind, tool } of message.blocks)
      if (kind === 'tool_use' || kind === 'tool_result') return toolName(tool);
  return null;
}

/** A tool's name on one line. */
function toolName(tool: string | null): string {
  return tool === null ? 'unknown tool' : excerpt(tool, LINE_CHARS);
}

/** Gathers what the blocks tell. */
export function gatherFacts(messages: readonly Message[]): ConversationFacts {
  const files = new Map<string, { uses: Set<string>; tokens: number }>();
  const tools = new Map<string, { calls: number; tokens: number }>();
  const errors: string[] = [];
  for (const message of messages) {
    for (const block of message.blocks) {
      const { path, isError } = block.facts;
      if (path !== undefined) {
        const file = files.get(path) ?? { uses: new Set<string>(), tokens: 0 };
        file.uses.add(excerpt(block.tool ?? block.facts.attachment ?? block.kind, LINE_CHARS));
        file.tokens += block.tokens;
        files.set(path, file);
      }
      if (block.kind === 'tool_use' || block.kind === 'tool_result') {
        const name = toolName(block.tool);
        const tool = tools.get(name) ?? { calls: 0, tokens: 0 };
        if (block.kind === 'tool_use') tool.calls += 1;
        tool.tokens += block.tokens;
        tools.set(name, tool);
      }
      if (isError === true) errors.push(describeBlock(block));
    }
  }
  return {
    messages,
    files: [...files].map(([path, { uses, tokens }]) => ({
      path: excerpt(path, LINE_CHARS),
      uses: [...uses],
      tokens,
    })),
    tools: [...tools].map(([tool, { calls, tokens }]) => ({ tool, calls, tokens })),
    errors,
    earlierSummary: lastOf(messages, 'summary'),
    firstRequest: firstOf(messages, 'human'),
    lastRequest: lastOf(messages, 'human'),
    lastAnswer: lastOf(messages, 'model'),
  };
}
