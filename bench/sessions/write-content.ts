import { formatDigest } from '../../src/core/base/digest.js';
import { type Block, fillerText, type ToolEffect } from '../../src/core/model/block.js';
import { apiUsage, type Usage } from '../../src/core/model/usage.js';
import { parseObject } from '../../src/transcripts/lines/json-lines.js';

/** The text of a block; an opaque one gets filler of its length. */
export function textOrFiller(block: Block): string {
  return block.text === null ? fillerText(block.chars, formatDigest(block.digest)) : block.text.read();
}

/** Usage as clients record it. */
export function usageFields(usage: Usage): object {
  return { ...apiUsage(usage), service_tier: 'standard' };
}

function toolInput(block: Block, tool: string): object {
  const text = block.text?.read();
  const input = text?.startsWith(tool) === true ? parseObject(text.slice(tool.length)) : null;
  if (input !== null) return input;
  const { path, effect } = block.facts;
  const known = { ...(path !== undefined && { file_path: path }), ...(effect && effectInput(effect, block)) };
  const frame = tool.length + JSON.stringify({ ...known, filler: '' }).length;
  return { ...known, filler: fillerText(block.chars - frame, formatDigest(block.digest)) };
}

/** Input by which a reader finds the same effect in the call of an opaque block. */
function effectInput(effect: ToolEffect, { digest }: Block): object {
  const filler = (chars: number): string => fillerText(chars, formatDigest(digest));
  switch (effect.kind) {
    case 'write':
      return { content: filler(effect.chars) };
    case 'edit':
      if (effect.chars === null) return { replace_all: true };
      return {
        old_string: filler(Math.max(0, -effect.chars)),
        new_string: filler(Math.max(0, effect.chars)),
      };
    case 'read-part':
      return { offset: 1 };
    case 'skill':
      return { skill: effect.name };
    case 'task-create':
      return { subject: filler(effect.chars) };
    case 'task-update':
      return { taskId: effect.task, status: effect.status, subject: filler(effect.chars) };
    case 'plan-exit':
      return { plan: filler(effect.chars), planFilePath: effect.path };
    case 'background':
      return { run_in_background: true, description: effect.label };
    default:
      return {};
  }
}

function imageContent(block: Block, index: number): object {
  const data = `${formatDigest(block.digest)}${index}`;
  return { type: 'image', source: { type: 'base64', media_type: 'image/png', data } };
}

/** A document of the length that its estimate tells of. */
function documentContent(block: Block): object {
  const withData = (data: string) => ({
    type: 'document',
    source: { type: 'base64', media_type: 'application/pdf', data },
  });
  const chars = block.rough * 4 - JSON.stringify(withData('')).length;
  return withData(fillerText(Math.max(0, chars), formatDigest(block.digest)));
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
      const { images = 0, documents = 0 } = block.facts;
      const media = Array.from({ length: images + documents }, (_, i) => ({
        ...imageContent(block, i),
        type: i < images ? 'image' : 'document',
      }));
      const content = media.length === 0 ? text : [{ type: 'text', text }, ...media];
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
      return imageContent(block, 0);
    case 'document':
      return documentContent(block);
    default:
      return { type: 'text', text: textOrFiller(block) };
  }
}

/** An attachment of one text in the fields of a session line. */
export function attachmentOf(block: Block): object {
  const { attachment = 'other', path, effect } = block.facts;
  const content = textOrFiller(block);
  const file = path === undefined ? {} : { [attachment === 'plan_mode' ? 'planFilePath' : 'filename']: path };
  if (effect?.kind === 'background-news') return { type: attachment, ...file, prompt: innerText(content) };
  if (effect?.kind !== 'announce') return { type: attachment, ...file, content };
  const { added, removed } = effect;
  const lines = added.map(([name, chars]) => name.padEnd(chars, '.').slice(0, chars));
  return {
    type: attachment,
    addedNames: added.map(([name]) => name),
    addedLines: lines,
    removedNames: removed,
    content,
  };
}

/** What stands between the tags of a reminder. */
function innerText(text: string): string {
  return text.replace(/^<system-reminder>\n/, '').replace(/\n<\/system-reminder>$/, '');
}
