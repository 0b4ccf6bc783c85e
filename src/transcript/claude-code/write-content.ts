import { formatDigest } from '../../base/digest.js';
import type { Block } from '../../model/block.js';
import { cacheWriteTokens, type Usage } from '../../model/usage.js';
import { fillerText, textOrFiller } from '../filler.js';
import { isObject } from '../narrow.js';

/** Usage in the fields of the API. */
export function usageFields(usage: Usage): object {
  return {
    input_tokens: usage.input,
    cache_creation_input_tokens: cacheWriteTokens(usage),
    cache_read_input_tokens: usage.cacheRead,
    cache_creation: {
      ephemeral_5m_input_tokens: usage.cacheWrite5m,
      ephemeral_1h_input_tokens: usage.cacheWrite1h,
    },
    output_tokens: usage.output,
    service_tier: 'standard',
  };
}

function parsedInput(json: string): object | null {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function toolInput(block: Block, tool: string): object {
  const text = block.text?.read();
  const input = text?.startsWith(tool) === true ? parsedInput(text.slice(tool.length)) : null;
  if (input !== null) return input;
  const path = block.facts.path === undefined ? {} : { file_path: block.facts.path };
  const frame = tool.length + JSON.stringify({ ...path, filler: '' }).length;
  return { ...path, filler: fillerText(block.chars - frame, formatDigest(block.digest)) };
}

function imageContent(block: Block, index: number): object {
  const data = `${formatDigest(block.digest)}${index}`;
  return { type: 'image', source: { type: 'base64', media_type: 'image/png', data } };
}

const QUEUED = /^<system-reminder>\n([\s\S]*)\n<\/system-reminder>$/;

/** An attached block as the client logs it: its text, and by name what it announces. */
export function attachmentOf(block: Block): object {
  const { attachment: type = 'other', effect } = block.facts;
  const content = textOrFiller(block);
  const queued = type === 'queued_command' ? (QUEUED.exec(content)?.[1] ?? null) : null;
  if (queued !== null) return { type, prompt: queued };
  if (effect?.kind !== 'announce') return { type, content };
  return {
    type,
    content,
    addedNames: effect.added.map(([name]) => name),
    addedLines: effect.added.map(([name, chars]) => name.padEnd(chars, '.').slice(0, chars)),
    removedNames: effect.removed,
  };
}

/** A block as API content; an opaque one gets filler of its length. */
export function contentOf(block: Block): object {
  switch (block.kind) {
    case 'tool_use': {
      const tool = block.tool ?? 'unknown';
      return { type: 'tool_use', id: block.toolUseId, name: tool, input: toolInput(block, tool) };
    }
    case 'tool_result': {
      const text = textOrFiller(block);
      const images = Array.from({ length: block.facts.images ?? 0 }, (_, i) => imageContent(block, i));
      const content = images.length === 0 ? text : [{ type: 'text', text }, ...images];
      const failed = block.facts.isError === true ? { is_error: true } : {};
      return { type: 'tool_result', tool_use_id: block.toolUseId, content, ...failed };
    }
    case 'thinking': {
      const thinking = block.text?.read() ?? '';
      return {
        type: 'thinking',
        thinking,
        signature: fillerText(block.chars - thinking.length, formatDigest(block.digest)),
      };
    }
    case 'image':
    case 'document':
      return { ...imageContent(block, 0), type: block.kind };
    default:
      return { type: 'text', text: textOrFiller(block) };
  }
}
