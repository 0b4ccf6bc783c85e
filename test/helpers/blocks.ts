import { type Block, type BlockInit, createBlock } from '../../src/core/model/block.js';
import { createMessage, type Message, type MessageInit } from '../../src/core/model/message.js';

type Rest = Partial<Omit<BlockInit, 'kind' | 'role' | 'tokens'>>;

/** A text on the side of the user. */
export function userText(tokens: number, rest: Rest = {}): Block {
  return createBlock({ kind: 'text', role: 'user', tokens, ...rest });
}

/** A tool call in a response. */
export function callOf(toolUseId: string, tokens: number, rest: Rest = {}): Block {
  return createBlock({ kind: 'tool_use', role: 'assistant', tokens, toolUseId, ...rest });
}

/** The result of a tool call. */
export function resultOf(toolUseId: string, tokens: number, rest: Rest = {}): Block {
  return createBlock({ kind: 'tool_result', role: 'user', tokens, toolUseId, ...rest });
}

/** A message of the model, or of somebody on the side of the user, at the start of the session. */
export function messageFrom(
  origin: Message['origin'],
  id: string,
  blocks: readonly Block[],
  rest: Partial<Omit<MessageInit, 'role'>> = {},
): Message {
  const role = origin === 'model' ? 'assistant' : 'user';
  return createMessage({ id, role, origin, blocks, at: 0, ...rest });
}
