import type { MessageOrigin } from '../../../core/model/message.js';
import type { Piece, Said } from '../../drafts/thread-draft.js';
import { isObject, type JsonObject, jsonOf, listOf, textOf } from '../../lines/narrow.js';

function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return null;
  }
}

function textual(value: unknown): string {
  return typeof value === 'string' ? value : jsonOf(value ?? '');
}

function pieceOf(part: unknown, tools: Map<string, string>): Piece | null {
  if (!isObject(part)) return null;
  const id = textOf(part.id);
  switch (part.type) {
    case 'text':
      return { kind: 'text', text: textual(part.content ?? part.text) };
    case 'reasoning':
    case 'thinking':
      return { kind: 'thinking', text: textual(part.content ?? part.text) };
    case 'tool_call': {
      const tool = textOf(part.name) ?? 'unknown';
      if (id !== null) tools.set(id, tool);
      return { kind: 'tool_use', text: tool + textual(part.arguments), tool, toolUseId: id };
    }
    case 'tool_call_response': {
      const text = textual(part.response ?? part.result ?? part.content);
      return { kind: 'tool_result', text, tool: tools.get(id ?? '') ?? null, toolUseId: id };
    }
    default:
      return { kind: 'other', text: jsonOf(part) };
  }
}

function piecesOf(message: JsonObject, tools: Map<string, string>): readonly Piece[] {
  const content = textOf(message.content);
  if (content !== null) return [{ kind: 'text', text: content }];
  return listOf(message.parts ?? message.content).flatMap((part) => pieceOf(part, tools) ?? []);
}

function originOf(role: unknown, pieces: readonly Piece[]): MessageOrigin {
  if (pieces.some(({ kind }) => kind === 'tool_result')) return 'tool';
  return role === 'user' ? 'human' : 'meta';
}

/** Keeps apart what a conversation has said already: each request repeats all of it. */
export class RecordedMessages {
  readonly #tools = new Map<string, string>();
  #known = 0;

  /** What a request adds to the one before; null where content is not recorded. */
  said(input: unknown): readonly Pick<Said, 'origin' | 'pieces'>[] | null {
    const messages = parsed(input);
    if (!Array.isArray(messages)) return null;
    const from = messages.length < this.#known ? 0 : this.#known;
    this.#known = messages.length;
    return messages.slice(from).flatMap((message) => {
      if (!isObject(message) || message.role === 'assistant') return [];
      const pieces = piecesOf(message, this.#tools);
      return pieces.length === 0 ? [] : [{ origin: originOf(message.role, pieces), pieces }];
    });
  }

  /** What the model said; null where content is not recorded. */
  answer(output: unknown): readonly Piece[] | null {
    const messages = parsed(output);
    if (!Array.isArray(messages)) return null;
    const pieces = messages.flatMap((message) => (isObject(message) ? piecesOf(message, this.#tools) : []));
    return pieces.length === 0 ? null : pieces;
  }
}
