import { isObject, type JsonObject, jsonOf, listOf, objectOf, textOf } from '../../../lines/narrow.js';
import { normaliseInput } from '../../normalise-input.js';
import { agentMessageOf } from '../agent-message.js';
import { renderAttachment } from '../attachments.js';

/** The content blocks of a message; a text alone is one text block. */
export function contentBlocks(content: unknown): readonly JsonObject[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  const list = listOf(content);
  return list.every(isObject) ? list : list.filter(isObject);
}

/** The name of a tool_use. */
export function toolName(content: JsonObject): string {
  return textOf(content.name) ?? 'unknown';
}

/** The text of a tool_use: its name followed by its JSON input. */
export function toolUseText(content: JsonObject): string {
  const tool = toolName(content);
  return tool + jsonOf(isObject(content.input) ? normaliseInput(tool, content.input) : (content.input ?? {}));
}

/** The text of a tool_result, without its images. */
export function toolResultText(content: JsonObject): string {
  if (typeof content.content === 'string') return content.content;
  let text = '';
  for (const part of listOf(content.content)) {
    if (!isObject(part) || part.type === 'image' || part.type === 'document') continue;
    if (typeof part.text === 'string') text += part.text;
  }
  return text;
}

/** The text of a content block; null for one that has none. */
export function contentText(content: JsonObject): string | null {
  switch (content.type) {
    case 'text':
      return textOf(content.text) ?? '';
    case 'thinking':
    case 'redacted_thinking':
      return textOf(content.thinking) ?? '';
    case 'tool_use':
      return toolUseText(content);
    case 'tool_result':
      return toolResultText(content);
    case 'image':
    case 'document':
      return null;
    default:
      return jsonOf(content);
  }
}

/** The text of one part of a line: a content block of its message, or what it attaches. */
export function textOfPart(line: JsonObject, part: number): string | null {
  if (line.type === 'attachment') return renderAttachment(objectOf(line.attachment));
  const message = (agentMessageOf(line)?.line ?? line).message;
  const content = contentBlocks(objectOf(message).content)[part];
  return content === undefined ? null : contentText(content);
}
