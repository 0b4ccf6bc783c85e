import type { MessageOrigin } from '../../../core/model/message.js';
import type { Piece } from '../../drafts/thread-draft.js';
import { isObject, type JsonObject, jsonOf, listOf, objectOf, textOf } from '../../lines/narrow.js';

/** What the client says in the user's name begins like this. */
const ENVIRONMENT =
  /^\s*(?:<(?:environment_context|user_instructions|user_shell_command|permissions|INSTRUCTIONS|skill|apps|plugins|recommended_plugins|collaboration_mode)|# AGENTS\.md instructions)/;
const NOTICE = /^\s*<(?:turn_aborted|subagent_notification|model_switch|user_action|hook_)/;

/** Texts and images of a list of content. */
export function contentPieces(content: unknown): readonly Piece[] {
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }];
  const pieces: Piece[] = [];
  for (const part of listOf(content)) {
    if (!isObject(part)) continue;
    const text = textOf(part.text);
    if (text !== null) pieces.push({ kind: 'text', text });
    else if (part.type === 'input_image') pieces.push({ kind: 'image', text: null });
  }
  return pieces;
}

/** The words of a message. */
export function wordsOf(pieces: readonly Piece[]): string {
  return pieces.length === 1 ? (pieces[0]!.text ?? '') : pieces.map(({ text }) => text ?? '').join('\n');
}

/** Who put a message into the conversation that is not the model's. */
export function originOf(role: unknown, words: string): MessageOrigin {
  if (role !== 'user' || ENVIRONMENT.test(words)) return 'attachment';
  return NOTICE.test(words) ? 'meta' : 'human';
}

/** The id that pairs a call with its result. */
export function callIdOf(item: JsonObject): string | null {
  return textOf(item.call_id) ?? textOf(item.id);
}

function toolCall(item: JsonObject, tool: string, input: string): Piece {
  return { kind: 'tool_use', text: tool + input, tool, toolUseId: callIdOf(item) };
}

/** Beginning of a seal; records that were made fit for sharing hold other words in its place. */
const SEAL = 'gAAAA';
/** Bytes of a seal that hold no reasoning, and bytes that Codex counts as a token. */
const SEAL_BYTES = 650;
const BYTES_PER_TOKEN = 4;

/** What Codex counts for sealed reasoning: three quarters of its characters are bytes. Null where no seal is recorded. */
function sealedTokensOf(seal: unknown): number | null {
  if (typeof seal !== 'string' || !seal.startsWith(SEAL)) return null;
  return Math.ceil(Math.max(0, Math.floor((seal.length * 3) / 4) - SEAL_BYTES) / BYTES_PER_TOKEN);
}

/** What the model said, thought or called; null for an item that is not the model's. */
export function modelPieces(item: JsonObject): readonly Piece[] | null {
  switch (item.type) {
    case 'message':
      return item.role === 'assistant' ? contentPieces(item.content) : null;
    case 'reasoning': {
      const spoken = contentPieces(item.content);
      const sealedTokens = sealedTokensOf(item.encrypted_content);
      return [
        {
          kind: 'thinking',
          text: spoken.length === 0 ? null : wordsOf(spoken),
          ...(sealedTokens === null ? {} : { facts: { sealedTokens } }),
        },
      ];
    }
    case 'function_call':
      return [toolCall(item, textOf(item.name) ?? 'unknown', textOf(item.arguments) ?? '')];
    case 'custom_tool_call':
      return [toolCall(item, textOf(item.name) ?? 'unknown', textOf(item.input) ?? '')];
    case 'local_shell_call':
      return [toolCall(item, 'local_shell', jsonOf(item.action ?? {}))];
    case 'tool_search_call':
      if (textOf(item.call_id) !== null) return [toolCall(item, 'tool_search', jsonOf(item.arguments ?? {}))];
      return [{ kind: 'other', text: jsonOf(item.arguments ?? {}) }];
    case 'web_search_call':
      return [{ kind: 'other', text: textOf(objectOf(item.action).query) ?? 'web_search' }];
    default:
      return null;
  }
}

/** The result of a tool; null for an item that is none. */
export function resultPiece(item: JsonObject, tools: ReadonlyMap<string, string>): Piece | null {
  const { type } = item;
  if (typeof type !== 'string' || !type.endsWith('_output')) return null;
  const toolUseId = textOf(item.call_id);
  if (toolUseId === null) return null;
  const tool = tools.get(toolUseId) ?? null;
  const output = item.output ?? item.tools;
  if (typeof output === 'string') return { kind: 'tool_result', text: output, tool, toolUseId };
  const body = isObject(output) ? output.content : output;
  if (typeof body === 'string') return { kind: 'tool_result', text: body, tool, toolUseId };
  const pieces = contentPieces(body);
  const images = pieces.filter(({ kind }) => kind === 'image').length;
  const text = pieces.length === 0 ? jsonOf(output ?? '') : wordsOf(pieces);
  return { kind: 'tool_result', text, tool, toolUseId, ...(images === 0 ? {} : { facts: { images } }) };
}
