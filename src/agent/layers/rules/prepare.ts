import { type Block, createBlock, holdsImage, mediaCount } from '../../../core/model/block.js';
import { type Message, messageTokens, withBlocks } from '../../../core/model/message.js';
import type { AskPart } from '../../../core/run/policy-rules.js';
import { shorter } from './split-history.js';

/** Attachments that the client makes again after a compaction, so that they need no summary (FUL-1, C52). */
const REINJECTED = new Set(['skill_discovery', 'skill_listing']);

/** True tokens of the line that replaces an image or document. */
const MARKER_TOKENS = 5;

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

/** What a request with a prefix of its own sends: less, where the rule says so. */
export function preparedInput(
  { scope, drop, results, lastTokens }: AskPart['input'],
  messages: readonly Message[],
): readonly Message[] {
  let prepared = messages;
  if (scope === 'since-last') {
    const last = prepared.findLastIndex(({ origin }) => origin === 'summary');
    if (last > 0) prepared = prepared.slice(last);
  }
  if (drop.length > 0) {
    const gone = new Set<string>(
      drop.flatMap((what) => (what === 'media' ? ['image', 'document'] : ['thinking'])),
    );
    prepared = prepared
      .map((message) =>
        withBlocks(
          message,
          message.blocks.filter(({ kind }) => !gone.has(kind)),
        ),
      )
      .filter(({ blocks }) => blocks.length > 0);
  }
  if (results !== null) {
    const { over, chars } = results;
    prepared = prepared.map((message) =>
      withBlocks(
        message,
        message.blocks.map((block) =>
          block.kind === 'tool_result' && block.chars > over
            ? shorter(block, Math.max(1, Math.round((block.tokens * chars) / block.chars)))
            : block,
        ),
      ),
    );
  }
  if (lastTokens === null) return prepared;
  let from = prepared.length;
  let sum = 0;
  while (from > 0 && sum + messageTokens(prepared[from - 1]!) <= lastTokens)
    sum += messageTokens(prepared[--from]!);
  while (from < prepared.length && prepared[from]!.blocks.some(({ kind }) => kind === 'tool_result')) from++;
  return prepared.slice(from);
}
