import { CHARS_PER_TOKEN, createBlock } from '../../model/block.js';
import { createMessage, type Message } from '../../model/message.js';

/** Tokens of one tool call of a fork: name and path (assumed). */
export const TOKENS_PER_CALL = 45;

/** A tool call of a fork and what came back. */
export interface ForkCall {
  readonly tool: string;
  readonly about: string;
  readonly resultTokens: number;
}

/** Tokens of a text of so many characters that enters a fork. */
export function tokensOfChars(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN);
}

/** What a fork is told, as a message of its own. */
export function directive(id: string, text: string, at: number): Message {
  const block = createBlock({ kind: 'text', role: 'user', tokens: tokensOfChars(text.length), text });
  return createMessage({ id, role: 'user', origin: 'directive', blocks: [block], at });
}

/** A turn of a fork: all its calls in one response, all their results in one message. */
export function forkTurn(
  id: string,
  calls: readonly ForkCall[],
  at: number,
): { readonly calls: Message; readonly results: Message } {
  const uses = calls.map((call, i) =>
    createBlock({
      kind: 'tool_use',
      role: 'assistant',
      tokens: TOKENS_PER_CALL,
      text: `${call.tool} ${call.about}`,
      tool: call.tool,
      toolUseId: `${id}-${i}`,
    }),
  );
  const results = calls.map((call, i) =>
    createBlock({
      kind: 'tool_result',
      role: 'user',
      tokens: call.resultTokens,
      text: `${call.about}: ${call.resultTokens}`,
      tool: call.tool,
      toolUseId: `${id}-${i}`,
    }),
  );
  return {
    calls: createMessage({ id: `${id}-calls`, role: 'assistant', origin: 'model', blocks: uses, at }),
    results: createMessage({ id: `${id}-results`, role: 'user', origin: 'tool', blocks: results, at }),
  };
}
