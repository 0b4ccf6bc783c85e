import { type Block, type BlockInit, createBlock } from './block.js';
import type { Usage } from './usage.js';

/** Who put a message into the conversation. */
export type MessageOrigin =
  | 'human'
  | 'model'
  | 'tool'
  | 'meta'
  | 'command'
  | 'attachment'
  | 'summary'
  | 'boundary'
  | 'context'
  | 'directive'
  | 'marker';

/** One message of the conversation as the agent keeps it; requests are flattened from these (FLT). */
export interface Message {
  /** Unique in its thread. */
  readonly id: string;
  readonly role: 'user' | 'assistant';
  readonly origin: MessageOrigin;
  readonly blocks: readonly Block[];
  /** Simulated milliseconds since the start of the transcript. */
  readonly at: number;
  /** API response a model message came from: several messages may share it. */
  readonly responseId: string | null;
  /** Usage the API reported with that response. */
  readonly usage: Usage | null;
  /** For an attachment: the id of the message it belongs to (FLT-1). */
  readonly attachedTo: string | null;
}

/** What is needed to make a message. */
export type MessageInit = Pick<Message, 'id' | 'role' | 'origin' | 'blocks' | 'at'> &
  Partial<Pick<Message, 'responseId' | 'usage' | 'attachedTo'>>;

/** Makes a message; what is not given is known to be absent. */
export function createMessage(init: MessageInit): Message {
  return {
    id: init.id,
    role: init.role,
    origin: init.origin,
    blocks: init.blocks,
    at: init.at,
    responseId: init.responseId ?? null,
    usage: init.usage ?? null,
    attachedTo: init.attachedTo ?? null,
  };
}

/** Makes a message of one text; the user's side says it unless a role is given. */
export function textMessage(
  { id, role = 'user', origin, at }: Pick<Message, 'id' | 'origin' | 'at'> & Partial<Pick<Message, 'role'>>,
  said: Pick<BlockInit, 'tokens' | 'text' | 'chars' | 'rough' | 'digest' | 'facts'>,
): Message {
  const { tokens, text, chars, rough, digest, facts } = said;
  const block = createBlock({ kind: 'text', role, tokens, text, chars, rough, digest, facts });
  return { id, role, origin, blocks: [block], at, responseId: null, usage: null, attachedTo: null };
}

/**
 * A message that lives as long as one request: what a fork is told, what it calls and what comes back. It has a class of its own
 * because what `createMessage` makes is put among the objects that stay, where it would keep its blocks alive.
 */
export class PassingMessage implements Message {
  readonly responseId = null;
  readonly usage = null;
  readonly attachedTo = null;

  constructor(
    readonly id: string,
    readonly role: Message['role'],
    readonly origin: MessageOrigin,
    readonly blocks: readonly Block[],
    readonly at: number,
  ) {}
}

/** The same message with other blocks. */
export function withBlocks(message: Message, blocks: readonly Block[]): Message {
  const { id, role, origin, at, responseId, usage, attachedTo } = message;
  return { id, role, origin, blocks, at, responseId, usage, attachedTo };
}

/** True tokens of a message. */
export function messageTokens(message: Message): number {
  let total = 0;
  for (let i = 0; i < message.blocks.length; i++) total += message.blocks[i]!.tokens;
  return total;
}

/** True tokens of several messages. */
export function tokensOf(messages: readonly Message[]): number {
  let total = 0;
  for (let i = 0; i < messages.length; i++) total += messageTokens(messages[i]!);
  return total;
}

/** True when the message holds a tool call. */
export function hasToolUse(message: Message): boolean {
  for (let i = 0; i < message.blocks.length; i++) if (message.blocks[i]!.kind === 'tool_use') return true;
  return false;
}

/** True for a message that somebody speaks: no result, nothing that a client attaches by itself. */
export function isSpoken({ origin }: Message): boolean {
  return origin !== 'tool' && origin !== 'attachment';
}
