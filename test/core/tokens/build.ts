import { type Block, type BlockInit, createBlock } from '../../../src/core/model/block.js';
import { createMessage, type Message, type MessageInit } from '../../../src/core/model/message.js';

/** A user text block of this many characters; true tokens are zero unless given. */
export function text(chars: number, init: Partial<BlockInit> = {}): Block {
  return createBlock({ kind: 'text', role: 'user', tokens: 0, text: 'x'.repeat(chars), ...init });
}

/** A tool call; its size is its name plus its JSON input. */
export function call(id: string, tool: string, input: unknown, init: Partial<BlockInit> = {}): Block {
  const content = tool + JSON.stringify(input);
  return createBlock({
    kind: 'tool_use',
    role: 'assistant',
    tokens: 0,
    text: content,
    toolUseId: id,
    tool,
    ...init,
  });
}

/** A tool result of this many characters. */
export function result(id: string, tool: string | null, chars: number, init: Partial<BlockInit> = {}): Block {
  return text(chars, { kind: 'tool_result', toolUseId: id, tool, ...init });
}

let made = 0;

/** A user message around blocks. */
export function user(blocks: readonly Block[], init: Partial<MessageInit> = {}): Message {
  made += 1;
  return createMessage({ id: `u${made}`, role: 'user', origin: 'human', at: 0, blocks, ...init });
}

/** An assistant message around blocks. */
export function assistant(blocks: readonly Block[], init: Partial<MessageInit> = {}): Message {
  made += 1;
  return createMessage({ id: `a${made}`, role: 'assistant', origin: 'model', at: 0, blocks, ...init });
}
