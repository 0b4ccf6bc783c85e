import { createNameTable, ownValue } from '../../../../core/base/own-value.js';
import { isObject, type JsonObject, jsonOf, listOf, objectOf, textOf } from '../../../lines/narrow.js';
import { renderAttachment } from '../attachments.js';

/** Inputs of well-known tools, in the order of their schemas. */
const KNOWN_INPUTS: ReadonlyMap<string, readonly string[]> = new Map([
  ['Read', ['file_path', 'offset', 'limit', 'pages']],
  ['Edit', ['file_path', 'old_string', 'new_string', 'replace_all']],
  ['Write', ['file_path', 'content']],
  ['Bash', ['command', 'description', 'timeout', 'run_in_background', 'dangerouslyDisableSandbox']],
  ['Glob', ['pattern', 'path']],
  ['WebFetch', ['url', 'prompt']],
  ['WebSearch', ['query', 'allowed_domains', 'blocked_domains']],
]);

/** True when keys stand in the schema's order, others behind them. */
function isInOrder(keys: readonly string[], known: readonly string[]): boolean {
  let latest = 0;
  for (const key of keys) {
    const at = known.indexOf(key);
    const rank = at === -1 ? known.length : at;
    if (rank < latest) return false;
    latest = rank;
  }
  return true;
}

/**
 * Brings a tool's input into the form of its schema where that is known (FLT-3): keys in the schema's order, others behind
 * them, so that the same call always has the same bytes. Inputs of other tools stay as they are.
 * @internal
 */
export function normaliseInput(
  tool: string,
  input: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const known = KNOWN_INPUTS.get(tool);
  if (known === undefined) return input;
  if (isInOrder(Object.keys(input), known)) return input;
  const normal = createNameTable<unknown>();
  for (const key of known) if (ownValue(input, key) !== undefined) normal[key] = ownValue(input, key);
  for (const key of Object.keys(input)) if (!known.includes(key)) normal[key] = ownValue(input, key);
  return normal;
}

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

/** A line of a subagent that its parent's file tells of. */
export interface AgentMessage {
  readonly agentId: string;
  /** The line as the subagent's own file would hold it, without what the envelope around it says. */
  readonly line: JsonObject;
}

/** The message of a subagent inside a line of progress; null for any other line (spec of transcripts §6). */
export function agentMessageOf(value: JsonObject): AgentMessage | null {
  if (!isObject(value.data) || value.data.type !== 'agent_progress') return null;
  const agentId = textOf(value.data.agentId);
  const line = objectOf(value.data.message);
  const isMessage = (line.type === 'user' || line.type === 'assistant') && isObject(line.message);
  return agentId !== null && isMessage ? { agentId, line } : null;
}

/** The text of one part of a line: a content block of its message, or what it attaches. */
export function textOfPart(line: JsonObject, part: number): string | null {
  if (line.type === 'attachment') return renderAttachment(objectOf(line.attachment));
  const message = (agentMessageOf(line)?.line ?? line).message;
  const content = contentBlocks(objectOf(message).content)[part];
  return content === undefined ? null : contentText(content);
}
