import { type Block, createBlock, mediaCount } from '../../../core/model/block.js';
import type { Message } from '../../../core/model/message.js';

/** Attachments that come back by themselves after a compaction and need no summary (FUL-1). */
const REINJECTED = new Set([
  'file',
  'skill',
  'standing',
  'compact_file_reference',
  'skill_listing',
  'plan_mode',
  'todo_reminder',
]);

/** True tokens of the line that stands in the place of an image or document. */
const MARKER_TOKENS = 5;

/** Messages from the last boundary on; the summary of the previous compaction is among them, so summaries chain (FUL-1). */
export function sinceBoundary(messages: readonly Message[]): readonly Message[] {
  for (let i = messages.length - 1; i >= 0; i--)
    if (messages[i]!.origin === 'boundary') return messages.slice(i + 1);
  return messages;
}

/** What is sent to be summarised: images and documents become a line of text, re-injected attachments are left out (FUL-1). */
export function prepareForSummary(messages: readonly Message[]): readonly Message[] {
  let changed = false;
  const prepared: Message[] = [];
  for (const message of messages) {
    if (
      message.origin === 'attachment' &&
      message.blocks.every((block) => REINJECTED.has(block.facts.attachment ?? ''))
    ) {
      changed = true;
      continue;
    }
    if (!message.blocks.some(holdsImage)) {
      prepared.push(message);
      continue;
    }
    changed = true;
    prepared.push({
      ...message,
      blocks: message.blocks.map((block) => (holdsImage(block) ? withoutImages(block) : block)),
    });
  }
  return changed ? prepared : messages;
}

function holdsImage(block: Block): boolean {
  return block.kind === 'image' || block.kind === 'document' || mediaCount(block.facts) > 0;
}

function withoutImages(block: Block): Block {
  if (block.kind === 'image' || block.kind === 'document') {
    return createBlock({
      kind: 'text',
      role: 'user',
      tokens: MARKER_TOKENS,
      text: `[${block.kind}]`,
      facts: { replaces: 'image' },
    });
  }
  const images = mediaCount(block.facts);
  const text = block.text?.read() ?? '';
  const imageTokens = Math.min(block.tokens, images * 1_500);
  return createBlock({
    kind: block.kind,
    role: block.role,
    tokens: block.tokens - imageTokens + images * MARKER_TOKENS,
    text: `${text}${'[image]'.repeat(images)}`,
    toolUseId: block.toolUseId,
    tool: block.tool,
    facts: { ...block.facts, images: 0, documents: 0, replaces: 'image' },
  });
}
