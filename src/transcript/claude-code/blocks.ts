import { digestText } from '../../base/digest.js';
import { type Block, type BlockFacts, createBlock, IMAGE_TOKENS } from '../../model/block.js';
import type { Text } from '../../model/text.js';
import { isObject, type JsonObject, jsonOf, listOf, objectOf, textOf } from '../narrow.js';
import { attachedImage, renderAttachment } from './attachments.js';
import { contentBlocks, contentText, toolName, toolResultText, toolUseText } from './part-text.js';

/** A tool call by its id: the name and the file it is about. */
export interface ToolCall {
  readonly tool: string;
  readonly path: string | null;
}

const FILE_TOOLS = new Set(['Read', 'Edit', 'Write', 'MultiEdit', 'NotebookEdit', 'NotebookRead']);
const JSON_PATH = /\.jsonc?l?$/i;

/** Where the text of a line's part is kept; null keeps it with its block. */
export type PlaceText = (part: number, chars: number) => Text | null;

const KEEP_TEXT: PlaceText = () => null;

function pathOf(content: JsonObject, tool: string): string | null {
  if (!FILE_TOOLS.has(tool)) return null;
  const input = objectOf(content.input);
  return textOf(input.file_path) ?? textOf(input.notebook_path);
}

function looksLikeJson(text: string): boolean {
  const first = text.trimStart()[0];
  const last = text.trimEnd().at(-1);
  return (first === '{' && last === '}') || (first === '[' && last === ']');
}

function mediaBlock(kind: 'image' | 'document', role: 'user' | 'assistant', content: JsonObject): Block {
  return createBlock({
    kind,
    role,
    tokens: 0,
    chars: 0,
    rough: IMAGE_TOKENS,
    digest: digestText(jsonOf(content)),
  });
}

function isJsonLike(path: string | null, text: string): boolean {
  return (path !== null && JSON_PATH.test(path)) || looksLikeJson(text);
}

const NO_FACTS: BlockFacts = Object.freeze({});

function resultFacts(path: string | null, text: string, isError: boolean, images: number): BlockFacts {
  const jsonLike = isJsonLike(path, text);
  if (path === null && !isError && images === 0 && !jsonLike) return NO_FACTS;
  const facts: { -readonly [Key in keyof BlockFacts]: BlockFacts[Key] } = {};
  if (path !== null) facts.path = path;
  if (isError) facts.isError = true;
  if (images > 0) facts.images = images;
  if (jsonLike) facts.jsonLike = true;
  return facts;
}

function toolResultBlock(content: JsonObject, calls: ReadonlyMap<string, ToolCall>): Block {
  const toolUseId = textOf(content.tool_use_id);
  const call = toolUseId === null ? undefined : calls.get(toolUseId);
  const text = toolResultText(content);
  let images = 0;
  for (const part of listOf(content.content)) {
    if (isObject(part) && (part.type === 'image' || part.type === 'document')) images++;
  }
  return createBlock({
    kind: 'tool_result',
    role: 'user',
    tokens: 0,
    text,
    toolUseId,
    tool: call?.tool ?? null,
    facts: resultFacts(call?.path ?? null, text, content.is_error === true, images),
  });
}

/** A tool result as the answer to another call than the one it was read for, or to none. */
export function answerTo(block: Block, call: ToolCall | undefined): Block {
  const path = call?.path ?? null;
  if (block.tool === (call?.tool ?? null) && (block.facts.path ?? null) === path) return block;
  const text = block.text!.read();
  const made = createBlock({
    kind: 'tool_result',
    role: 'user',
    tokens: block.tokens,
    text,
    toolUseId: block.toolUseId,
    tool: call?.tool ?? null,
    facts: resultFacts(path, text, block.facts.isError === true, block.facts.images ?? 0),
  });
  return { ...made, text: block.text };
}

function textBlock(role: 'user' | 'assistant', text: string): Block {
  const local = role === 'user' && text.includes('<local-command-stdout>');
  return createBlock({
    kind: 'text',
    role,
    tokens: 0,
    text,
    facts: local ? { localCommand: true } : NO_FACTS,
  });
}

function thinkingBlock(content: JsonObject): Block {
  const text = textOf(content.thinking) ?? '';
  const signature = textOf(content.signature) ?? textOf(content.data) ?? '';
  const digest = digestText(signature, digestText(text));
  return createBlock({
    kind: 'thinking',
    role: 'assistant',
    tokens: 0,
    text,
    chars: text.length + signature.length,
    digest,
  });
}

function toolUseBlock(content: JsonObject): Block {
  const tool = toolName(content);
  const path = pathOf(content, tool);
  return createBlock({
    kind: 'tool_use',
    role: 'assistant',
    tokens: 0,
    text: toolUseText(content),
    toolUseId: textOf(content.id),
    tool,
    facts: path === null ? NO_FACTS : { path },
  });
}

function blockOf(
  content: JsonObject,
  role: 'user' | 'assistant',
  calls: ReadonlyMap<string, ToolCall>,
): Block {
  switch (content.type) {
    case 'text':
      return textBlock(role, textOf(content.text) ?? '');
    case 'thinking':
    case 'redacted_thinking':
      return thinkingBlock(content);
    case 'tool_use':
      return toolUseBlock(content);
    case 'tool_result':
      return toolResultBlock(content, calls);
    case 'image':
    case 'document':
      return mediaBlock(content.type, role, content);
    default:
      return createBlock({ kind: 'other', role, tokens: 0, text: contentText(content) });
  }
}

function withPlacedText(block: Block, part: number, place: PlaceText): Block {
  const text = block.text === null ? null : place(part, block.text.chars);
  return text === null ? block : { ...block, text };
}

/** The blocks of a message, tokens still open. */
export function blocksOf(
  content: unknown,
  role: 'user' | 'assistant',
  calls: ReadonlyMap<string, ToolCall>,
  place: PlaceText = KEEP_TEXT,
): Block[] {
  return contentBlocks(content).map((part, i) => withPlacedText(blockOf(part, role, calls), i, place));
}

/** The blocks of an attachment, or null when the model does not see it. */
export function attachmentBlocks(attachment: JsonObject, place: PlaceText = KEEP_TEXT): Block[] | null {
  const facts: BlockFacts = { attachment: textOf(attachment.type) ?? 'other' };
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
  return [withPlacedText(createBlock({ kind: 'text', role: 'user', tokens: 0, text, facts }), 0, place)];
}
