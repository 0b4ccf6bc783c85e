import type { Message } from '../../core/model/message.js';

/**
 * Brings messages into the order the API wants (FLT-1, FLT-2, FLT-5): the context
 * reminder comes first, parts of one response are joined at the first of them, and each attachment stands behind
 * the message it belongs to. Everything else keeps its place.
 */
export function orderMessages(messages: readonly Message[]): readonly Message[] {
  let plain = true;
  const responses = new Set<string>();
  for (const message of messages) {
    if (message.origin === 'context' || message.attachedTo !== null) plain = false;
    if (message.responseId !== null) {
      if (responses.has(message.responseId)) plain = false;
      responses.add(message.responseId);
    }
  }
  if (plain) return messages;
  return withAttachmentsInPlace(withJoinedResponses(withContextFirst(messages)));
}

function withContextFirst(messages: readonly Message[]): readonly Message[] {
  const rest = messages.filter((message) => message.origin !== 'context');
  return [...messages.filter((message) => message.origin === 'context'), ...rest];
}

function withJoinedResponses(messages: readonly Message[]): readonly Message[] {
  const firstAt = new Map<string, number>();
  const joined: Message[] = [];
  for (const message of messages) {
    const at = message.responseId === null ? undefined : firstAt.get(message.responseId);
    if (at === undefined) {
      if (message.responseId !== null) firstAt.set(message.responseId, joined.length);
      joined.push(message);
    } else {
      const first = joined[at]!;
      const { id, role, origin, at: atMs, responseId, attachedTo } = first;
      const blocks = [...first.blocks, ...message.blocks];
      const usage = message.usage ?? first.usage;
      joined[at] = { id, role, origin, blocks, at: atMs, responseId, usage, attachedTo };
    }
  }
  return joined;
}

function withAttachmentsInPlace(messages: readonly Message[]): readonly Message[] {
  const present = new Set(messages.map((message) => message.id));
  const behind = new Map<string, Message[]>();
  for (const message of messages) {
    if (message.attachedTo === null || !present.has(message.attachedTo)) continue;
    const list = behind.get(message.attachedTo) ?? [];
    list.push(message);
    behind.set(message.attachedTo, list);
  }
  const placed: Message[] = [];
  for (const message of messages) {
    if (message.attachedTo !== null && present.has(message.attachedTo)) continue;
    placed.push(message);
    const queue = [...(behind.get(message.id) ?? [])];
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      placed.push(next);
      queue.unshift(...(behind.get(next.id) ?? []));
    }
  }
  return placed;
}
