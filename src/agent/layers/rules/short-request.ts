import { type Block, createBlock } from '../../../core/model/block.js';
import { createMessage, type Message } from '../../../core/model/message.js';
import type { AskRequest } from '../../../core/run/action.js';

/** A request for one word over a conversation: it is there for the cache alone. */
function shortRequest(
  messages: readonly Message[],
  now: number,
  said: readonly Block[],
  how: Pick<AskRequest, 'write' | 'mode'>,
): AskRequest {
  return {
    purpose: 'keep_alive',
    shape: { kind: 'fork' },
    messages,
    instruction: createMessage({
      id: `ping-${now}`,
      role: 'user',
      origin: 'directive',
      blocks: said,
      at: now,
    }),
    ...how,
    maxOutputTokens: 1,
    retries: 0,
    answer: { kind: 'short', tokens: 1 },
  };
}

/** A ping that touches the entry and leaves nothing behind. */
export function pingRequest(messages: readonly Message[], now: number): AskRequest {
  const said = [createBlock({ kind: 'text', role: 'user', tokens: 4, text: 'Say "ok".' })];
  return shortRequest(messages, now, said, { write: 'read-only', mode: 'background' });
}

/** The conversation itself up to the latest word of the user, so that its entry is there for the next request. */
export function warmingRequest(messages: readonly Message[], now: number): AskRequest {
  const end = messages.findLastIndex(({ role }) => role === 'user') + 1;
  return shortRequest(messages.slice(0, end), now, [], { write: 'write', mode: 'blocking' });
}
