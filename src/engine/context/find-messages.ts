import type { Message } from '../../core/model/message.js';

/** Messages of a conversation by id, looked for from the end: edits are mostly recent. */
export function findMessages(
  messages: readonly Message[],
  ids: ReadonlySet<string>,
): ReadonlyMap<string, Message> {
  const found = new Map<string, Message>();
  for (let i = messages.length - 1; i >= 0 && found.size < ids.size; i--) {
    const message = messages[i]!;
    if (ids.has(message.id)) found.set(message.id, message);
  }
  return found;
}
