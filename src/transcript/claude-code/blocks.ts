import { digestText } from '../../base/digest.js';
import { type Block, type BlockFacts, createBlock, IMAGE_TOKENS } from '../../model/block.js';
import { isObject, type JsonObject, jsonOf, listOf, objectOf, textOf } from '../narrow.js';
import { normaliseInput } from '../normalise-input.js';
import { attachedImage, renderAttachment } from './attachments.js';
import { contentBlocks } from './lines.js';

/** A tool call by its id: the name and the file it is about. */
export interface ToolCall {
  readonly tool: string;
  readonly path: string | null;
}

const FILE_TOOLS = new Set(['Read', 'Edit', 'Write', 'MultiEdit', 'NotebookEdit', 'NotebookRead']);
const JSON_PATH = /\.jsonc?l?$/i;

/** The name of a tool_use and, for tools that work on one file, its path. */
export function toolCallOf(content: JsonObject): ToolCall {
  const tool = textOf(content.name) ?? 'unknown';
  const input = objectOf(content.input);
  const path = FILE_TOOLS.has(tool) ? (textOf(input.file_path) ?? textOf(input.notebook_path)) : null;
  return { tool, path };
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

function toolResultBlock(content: JsonObject, calls: ReadonlyMap<string, ToolCall>): Block {
  const toolUseId = textOf(content.tool_use_id);
  const call = toolUseId === null ? undefined : calls.get(toolUseId);
  let text = '';
  let images = 0;
  if (typeof content.content === 'string') text = content.content;
  for (const part of listOf(content.content).filter(isObject)) {
    if (part.type === 'image' || part.type === 'document') images++;
    else if (typeof part.text === 'string') text += part.text;
  }
  const path = call?.path ?? null;
  const jsonLike = (path !== null && JSON_PATH.test(path)) || looksLikeJson(text);
  const facts: BlockFacts = {
    ...(path === null ? {} : { path }),
    ...(content.is_error === true ? { isError: true } : {}),
    ...(images > 0 ? { images } : {}),
    ...(jsonLike ? { jsonLike } : {}),
  };
  return createBlock({
    kind: 'tool_result',
    role: 'user',
    tokens: 0,
    text,
    toolUseId,
    tool: call?.tool ?? null,
    facts,
  });
}

function textBlock(role: 'user' | 'assistant', text: string): Block {
  const local = role === 'user' && text.includes('<local-command-stdout>');
  return createBlock({ kind: 'text', role, tokens: 0, text, facts: local ? { localCommand: true } : {} });
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
  const { tool, path } = toolCallOf(content);
  const text =
    tool + jsonOf(isObject(content.input) ? normaliseInput(tool, content.input) : (content.input ?? {}));
  const facts = path === null ? {} : { path };
  return createBlock({
    kind: 'tool_use',
    role: 'assistant',
    tokens: 0,
    text,
    toolUseId: textOf(content.id),
    tool,
    facts,
  });
}

/** The blocks of a message, tokens still open. A tool_use reads as its name followed by its JSON input. */
export function blocksOf(
  content: unknown,
  role: 'user' | 'assistant',
  calls: ReadonlyMap<string, ToolCall>,
): Block[] {
  return contentBlocks(content).map((part) => {
    switch (part.type) {
      case 'text':
        return textBlock(role, textOf(part.text) ?? '');
      case 'thinking':
      case 'redacted_thinking':
        return thinkingBlock(part);
      case 'tool_use':
        return toolUseBlock(part);
      case 'tool_result':
        return toolResultBlock(part, calls);
      case 'image':
      case 'document':
        return mediaBlock(part.type, role, part);
      default:
        return createBlock({ kind: 'other', role, tokens: 0, text: jsonOf(part) });
    }
  });
}

/** The blocks of an attachment, or null when the model does not see it. */
export function attachmentBlocks(attachment: JsonObject): Block[] | null {
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
  return text === null ? null : [createBlock({ kind: 'text', role: 'user', tokens: 0, text, facts })];
}
