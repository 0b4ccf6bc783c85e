import type { Block } from '../../src/core/model/block.js';
import type { Message } from '../../src/core/model/message.js';
import { Context } from '../../src/engine/context/context.js';
import { orderMessages, type Repairs } from '../../src/engine/context/repairs.js';

/** A message as the API takes it. */
interface ApiMessage {
  readonly role: 'user' | 'assistant';
  readonly blocks: readonly Block[];
}

/** Flattens a conversation to API messages (FLT-1…4): alternating roles, user first, every call answered. */
export function flatten(messages: readonly Message[]): {
  readonly messages: readonly ApiMessage[];
  readonly repairs: Repairs;
} {
  const context = new Context([]);
  context.extend(withoutTrailingThinking(orderMessages(messages)));
  context.seal(messages.at(-1)?.at ?? 0);
  return { messages: groupByRole(context.blocks), repairs: context.repairs };
}

/** Joins neighbouring blocks of one role into API messages; prefix blocks are left out. */
function groupByRole(blocks: readonly Block[]): readonly ApiMessage[] {
  const groups: { role: 'user' | 'assistant'; blocks: Block[] }[] = [];
  for (const block of blocks) {
    if (block.role !== 'user' && block.role !== 'assistant') continue;
    const last = groups.at(-1);
    if (last?.role === block.role) last.blocks.push(block);
    else groups.push({ role: block.role, blocks: [block] });
  }
  return groups;
}

/** Drops a trailing message that holds thinking alone (FLT-3). */
function withoutTrailingThinking(messages: readonly Message[]): readonly Message[] {
  const last = messages.at(-1);
  const thinkingAlone =
    last?.role === 'assistant' &&
    last.blocks.length > 0 &&
    last.blocks.every((block) => block.kind === 'thinking');
  return thinkingAlone ? messages.slice(0, -1) : messages;
}
