import { getOrMake, oncePer } from '../../../core/base/once.js';
import type { Block } from '../../../core/model/block.js';
import type { Message } from '../../../core/model/message.js';
import { textStart } from '../../../core/model/text.js';

/** Stands where the blocks have no more to tell. */
const FILLER = 'No further detail of this part is on record. ';

/** What may have to go from a text on one line. */
const UNEVEN = /[\s<]/;
const TAG = /<\/?(analysis|summary)>/g;

/** Characters looked at for an excerpt. */
export const EXCERPT_LOOK_CHARS = 600;

/** The first N characters, never half a surrogate pair nor white space at the end. */
function cutText(text: string, chars: number): string {
  if (chars <= 0) return '';
  if (text.length < chars) return text;
  const kept = text.slice(0, chars);
  const last = kept.charCodeAt(chars - 1);
  const half = last >= 0xd800 && last <= 0xdbff;
  return half || /\s/.test(kept[chars - 1]!) ? `${kept.slice(0, -1)}.` : kept;
}

/** Lines cut or filled up to exactly this many characters; `more` is drawn on when the lines do not suffice. */
export function exactText(lines: readonly string[], chars: number, more?: Iterable<string>): string {
  let text = lines.join('\n');
  if (text.length < chars && more !== undefined) {
    for (const line of more) {
      text += text === '' ? line : `\n${line}`;
      if (text.length >= chars) break;
    }
  }
  if (text.length < chars) {
    if (text !== '') text += '\n';
    text += FILLER.repeat(Math.ceil((chars - text.length) / FILLER.length));
  }
  return cutText(text, chars);
}

/** The opening of a text on one line, without tags that would end a section. */
export function excerpt(text: string, chars: number): string {
  if (text.length <= chars && !UNEVEN.test(text)) return text;
  const line = text.slice(0, EXCERPT_LOOK_CHARS).replace(TAG, ' ').replace(/\s+/g, ' ').trim();
  return line.length <= chars ? line : cutText(line, chars);
}

/** A file of the conversation. */
interface FileFact {
  readonly path: string;
  readonly uses: readonly string[];
  readonly tokens: number;
}

/** A message as far as its words and facts go. */
export type Spoken = Pick<Message, 'origin' | 'blocks'>;

/** What is known of a conversation, in the order in which it came up. */
export interface ConversationFacts {
  readonly messages: readonly Spoken[];
  readonly files: readonly FileFact[];
  readonly tools: readonly { readonly tool: string; readonly calls: number; readonly tokens: number }[];
  readonly errors: readonly string[];
  /** What an earlier summary said, on one line; null if there is none or its text is not known. */
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

/** How blocks begin, on one line, of those that were quoted before: the same request is asked about again and again. */
const quoteOf = oncePer((block: Block) => opening(block, QUOTE_CHARS));

/** One line on a block: what it is, what it is about, how large, how it begins. */
function describeBlock(block: Block): string {
  const { path, isError } = block.facts;
  const about = path === undefined ? '' : ` about ${oneLine(path)}`;
  const kind = block.kind === 'tool_use' ? 'call' : block.kind === 'tool_result' ? 'result' : block.kind;
  const failed = isError === true ? ', failed' : '';
  const words = block.kind === 'thinking' ? null : opening(block, LINE_CHARS);
  const what = block.tool === null ? `${block.role} ${kind}` : `${toolName(block.tool)} ${kind}`;
  return `- ${what}${about}, ${block.tokens} tokens${failed}${words === null ? '' : `: ${words}`}`;
}

/** One line for each block of the messages, in order. */
export function* walkBlocks(messages: readonly Spoken[]): Generator<string> {
  for (const message of messages) for (const block of message.blocks) yield describeBlock(block);
}

/** How the first of some messages begins that is of an origin and has words; null if there is none. */
function quoteFrom(messages: readonly Spoken[], origin: Message['origin']): string | null {
  for (const message of messages) {
    if (message.origin !== origin) continue;
    for (const block of message.blocks) {
      const quote = block.kind !== 'text' || block.facts.attachment !== undefined ? null : quoteOf(block);
      if (quote !== null) return quote;
    }
  }
  return null;
}

/** A path or a name on one line. */
function oneLine(name: string): string {
  return excerpt(name, LINE_CHARS);
}

/** A tool's name on one line. */
function toolName(tool: string | null): string {
  return tool === null ? 'unknown tool' : oneLine(tool);
}

/** Gathers what the blocks tell. */
export function gatherFacts(messages: readonly Spoken[]): ConversationFacts {
  const files = new Map<string, { uses: Set<string>; tokens: number }>();
  const tools = new Map<string, { calls: number; tokens: number }>();
  const errors: string[] = [];
  for (const message of messages) {
    for (const block of message.blocks) {
      const { path, isError } = block.facts;
      if (path !== undefined) {
        const file = getOrMake(files, path, () => ({ uses: new Set(), tokens: 0 }));
        file.uses.add(oneLine(block.tool ?? block.facts.attachment ?? block.kind));
        file.tokens += block.tokens;
      }
      if (block.kind === 'tool_use' || block.kind === 'tool_result') {
        const name = toolName(block.tool);
        const tool = getOrMake(tools, name, () => ({ calls: 0, tokens: 0 }));
        if (block.kind === 'tool_use') tool.calls += 1;
        tool.tokens += block.tokens;
      }
      if (isError === true) errors.push(describeBlock(block));
    }
  }
  const latestFirst = messages.toReversed();
  return {
    messages,
    files: [...files].map(([path, { uses, tokens }]) => ({ path: oneLine(path), uses: [...uses], tokens })),
    tools: [...tools].map(([tool, { calls, tokens }]) => ({ tool, calls, tokens })),
    errors,
    earlierSummary: quoteFrom(latestFirst, 'summary'),
    firstRequest: quoteFrom(messages, 'human'),
    lastRequest: quoteFrom(latestFirst, 'human'),
    lastAnswer: quoteFrom(latestFirst, 'model'),
  };
}
