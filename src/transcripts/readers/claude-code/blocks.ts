import { digestText } from '../../../core/base/digest.js';
import type { Mutable } from '../../../core/base/mutable.js';
import {
  type Block,
  type BlockFacts,
  type BlockInit,
  createBlock,
  digestContent,
  IMAGE_TOKENS,
  mediaCount,
  NO_FACTS,
  type ToolEffect,
  uniformFacts,
  withTokens,
} from '../../../core/model/block.js';
import { literalText, type Text } from '../../../core/model/text.js';
import type { PrefixShape } from '../../drafts/prefix-shape.js';
import { isObject, type JsonObject, jsonOf, listOf, objectOf, textOf } from '../../lines/narrow.js';
import { attachedImage, renderAttachment } from './attachments.js';
import { announcementOf, attachedPath, effectOf, noticeNews, planPathOf, resultNews } from './effects.js';
import { contentBlocks, contentText, toolName, toolResultText, toolUseText } from './lines/part-text.js';

/** A tool call by its id: the name and the file it is about. */
export interface ToolCall {
  readonly id: string;
  readonly tool: string;
  readonly path: string | null;
}

const FILE_TOOLS = new Set(['Read', 'Edit', 'Write', 'MultiEdit', 'NotebookEdit', 'NotebookRead']);
/** How a text begins that is no JSON: with a letter or a figure. */
const PLAIN_START = /^\w/;
const JSON_PATH = /\.jsonc?l?$/i;

/** Where the text of a line's part is kept. */
export type PlaceText = (part: number, text: string) => Text;

/** Keeps texts with their blocks. */
export const keepText: PlaceText = (_part, text) => literalText(text);

function pathOf(content: JsonObject, tool: string): string | null {
  if (!FILE_TOOLS.has(tool)) return null;
  const input = objectOf(content.input);
  return textOf(input.file_path) ?? textOf(input.notebook_path);
}

function looksLikeJson(text: string): boolean {
  if (PLAIN_START.test(text)) return false;
  const first = text.trimStart()[0];
  const last = text.trimEnd().at(-1);
  return (first === '{' && last === '}') || (first === '[' && last === ']');
}

function mediaBlock(kind: 'image' | 'document', role: 'user' | 'assistant', content: JsonObject): Block {
  const json = jsonOf(content);
  return createBlock({
    kind,
    role,
    tokens: 0,
    chars: 0,
    rough: kind === 'image' ? IMAGE_TOKENS : Math.round(json.length / 4), // TOK-3: a document by its JSON
    digest: digestText(json),
  });
}

const STORED = '<persisted-output>';
const CUT = /\[\d+ (?:characters|lines) truncated\]/;
/** No client cuts shorter results than this. */
const SHORTEST_CUT = 16_000;

function resultFacts(
  path: string | null,
  text: string,
  isError: boolean,
  images: number,
  documents: number,
): BlockFacts {
  const jsonLike = (path !== null && JSON_PATH.test(path)) || looksLikeJson(text);
  // The recording's client had stored or cut it before the model saw it.
  const limited = text.startsWith(STORED) || (text.length >= SHORTEST_CUT && CUT.test(text));
  if (path === null && !isError && images + documents === 0 && !jsonLike && !limited) return NO_FACTS;
  const facts: Mutable<BlockFacts> = {};
  if (path !== null) facts.path = path;
  if (isError) facts.isError = true;
  if (images > 0) facts.images = images;
  if (documents > 0) facts.documents = documents;
  if (jsonLike) facts.jsonLike = true;
  if (limited) facts.limited = true;
  return facts;
}

/** A content block on its way: which part of its line it is, and who keeps its text. */
interface Part {
  readonly content: JsonObject;
  readonly role: 'user' | 'assistant';
  readonly index: number;
  readonly place: PlaceText;
}

interface TextBlockInit extends Pick<BlockInit, 'toolUseId' | 'tool' | 'facts'> {
  readonly kind: 'text' | 'tool_use' | 'tool_result' | 'other';
}

function textBlock({ role, index, place }: Part, text: string, init: TextBlockInit): Block {
  const { kind, toolUseId = null, tool = null, facts = NO_FACTS } = init;
  const digest = digestContent(text, kind, role, tool, toolUseId, mediaCount(facts));
  return createBlock({
    kind,
    role,
    tokens: 0,
    text: place(index, text),
    digest,
    toolUseId,
    tool,
    facts,
  });
}

/** Facts of a result, with what it tells of plans and of work in the background. */
function answerFacts(
  call: ToolCall | undefined,
  text: string,
  isError: boolean,
  { images = 0, documents = 0 }: Pick<BlockFacts, 'images' | 'documents'>,
): BlockFacts {
  const path = call?.path ?? (call?.tool === 'ExitPlanMode' && !isError ? planPathOf(text) : null);
  const facts = resultFacts(path, text, isError, images, documents);
  const effect = call === undefined || isError ? null : resultNews(call.tool, text);
  return effect === null ? facts : { ...facts, effect };
}

function toolResultBlock(part: Part, calls: ReadonlyMap<string, ToolCall>): Block {
  const { content } = part;
  const id = textOf(content.tool_use_id);
  const call = id === null ? undefined : calls.get(id);
  const text = toolResultText(content);
  let images = 0;
  let documents = 0;
  if (typeof content.content !== 'string') {
    for (const item of listOf(content.content)) {
      if (!isObject(item)) continue;
      if (item.type === 'image') images++;
      else if (item.type === 'document') documents++;
    }
  }
  return textBlock(part, text, {
    kind: 'tool_result',
    toolUseId: call?.id ?? id,
    tool: call?.tool ?? null,
    facts: answerFacts(call, text, content.is_error === true, { images, documents }),
  });
}

/** Whether a result knows the file of its call; one that ends plan mode tells the file by itself. */
function isAbout({ facts, tool }: Block, call: ToolCall | undefined): boolean {
  return tool === 'ExitPlanMode' || (facts.path ?? null) === (call?.path ?? null);
}

/** A tool result as the answer to another call than the one it was read for, or to none. */
export function answerTo(block: Block, call: ToolCall | undefined): Block {
  if (block.tool === (call?.tool ?? null) && isAbout(block, call)) return block;
  const text = block.text!.read();
  const part: Part = { content: {}, role: 'user', index: 0, place: () => block.text! };
  const made = textBlock(part, text, {
    kind: 'tool_result',
    toolUseId: block.toolUseId,
    tool: call?.tool ?? null,
    facts: answerFacts(call, text, block.facts.isError === true, block.facts),
  });
  return withTokens(made, block.tokens);
}

function proseBlock(part: Part): Block {
  const text = textOf(part.content.text) ?? '';
  if (part.role !== 'user') return textBlock(part, text, { kind: 'text' });
  const effect = noticeNews(text);
  const local = text.includes('<local-command-stdout>');
  if (effect === null && !local) return textBlock(part, text, { kind: 'text' });
  const facts = { ...(local && { localCommand: true }), ...(effect !== null && { effect }) };
  return textBlock(part, text, { kind: 'text', facts });
}

function thinkingBlock({ content, index, place }: Part): Block {
  const text = textOf(content.thinking) ?? '';
  const signature = textOf(content.signature) ?? textOf(content.data) ?? '';
  return createBlock({
    kind: 'thinking',
    role: 'assistant',
    tokens: 0,
    text: place(index, text),
    chars: text.length + signature.length,
    digest: digestText(signature, digestText(text)),
  });
}

function callFacts(path: string | null, effect: ToolEffect | null): BlockFacts {
  if (effect === null) return path === null ? NO_FACTS : { path };
  return path === null ? { effect } : { path, effect };
}

function toolUseBlock(part: Part): Block {
  const { content } = part;
  const tool = toolName(content);
  return textBlock(part, toolUseText(content), {
    kind: 'tool_use',
    toolUseId: textOf(content.id),
    tool,
    facts: callFacts(pathOf(content, tool), effectOf(tool, content.input)),
  });
}

function blockOf(part: Part, calls: ReadonlyMap<string, ToolCall>): Block {
  const { content, role } = part;
  switch (content.type) {
    case 'text':
      return proseBlock(part);
    case 'thinking':
    case 'redacted_thinking':
      return thinkingBlock(part);
    case 'tool_use':
      return toolUseBlock(part);
    case 'tool_result':
      return toolResultBlock(part, calls);
    case 'image':
    case 'document':
      return mediaBlock(content.type, role, content);
    default:
      return textBlock(part, contentText(content) ?? '', { kind: 'other' });
  }
}

/** The blocks of a message, tokens still open. */
export function blocksOf(
  content: unknown,
  role: 'user' | 'assistant',
  calls: ReadonlyMap<string, ToolCall>,
  place: PlaceText = keepText,
): Block[] {
  const blocks = contentBlocks(content).map((part, index) =>
    blockOf({ content: part, role, index, place }, calls),
  );
  if (typeof content !== 'string' || role === 'assistant') return blocks;
  return blocks.map((block) => ({ ...block, facts: uniformFacts({ ...block.facts, plain: true }) }));
}

/** The blocks of an attachment, or null when the model does not see it. */
export function attachmentBlocks(attachment: JsonObject, place: PlaceText = keepText): Block[] | null {
  const path = attachedPath(attachment);
  const effect = announcementOf(attachment) ?? noticeNews(textOf(attachment.prompt) ?? '');
  const facts: BlockFacts = {
    attachment: textOf(attachment.type) ?? 'other',
    ...(path !== null && { path }),
    ...(effect !== null && { effect }),
  };
  const image = attachedImage(attachment);
  if (image !== null) {
    return [
      createBlock({
        kind: 'image',
        role: 'user',
        tokens: 0,
        chars: 0,
        digest: digestText(jsonOf(image)),
        facts,
      }),
    ];
  }
  const text = renderAttachment(attachment);
  if (text === null) return null;
  return [textBlock({ content: attachment, role: 'user', index: 0, place }, text, { kind: 'text', facts })];
}

/** Characters of system prompt and tools as a request has them; null if one of them is empty. */
export function shapeOf({ system, tools }: JsonObject): PrefixShape | null {
  let [systemChars, toolChars] = [0, 0];
  for (const part of listOf(system)) systemChars += textOf(objectOf(part).text)?.length ?? 0;
  for (const tool of listOf(tools)) toolChars += JSON.stringify(tool).length;
  return systemChars === 0 || toolChars === 0 ? null : { systemChars, toolChars };
}
