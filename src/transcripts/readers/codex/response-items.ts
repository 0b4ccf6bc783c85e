import type { MessageOrigin } from '../../../core/model/message.js';
import type { Usage } from '../../../core/model/usage.js';
import { usageWithin } from '../../drafts/draft.js';
import type { Piece } from '../../drafts/thread-draft.js';
import {
  countOf,
  isObject,
  type JsonObject,
  jsonOf,
  objectOf,
  objectsOf,
  textOf,
} from '../../lines/narrow.js';
import { knownTokens, tokensOf } from '../../lines/plausible.js';
import { contentPieces, imagesIn, wordsOf } from '../pieces.js';

/** What the client says in the user's name begins like this. */
const ENVIRONMENT =
  /^\s*(?:<(?:environment_context|user_instructions|user_shell_command|permissions|INSTRUCTIONS|skill|apps|plugins|recommended_plugins|collaboration_mode)|# AGENTS\.md instructions)/;
const NOTICE = /^\s*<(?:turn_aborted|subagent_notification|model_switch|user_action|hook_)/;

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

/** What Codex counts for sealed reasoning: three quarters of its characters are bytes. Null if no seal is recorded. */
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
  const images = imagesIn(pieces);
  const text = pieces.length === 0 ? jsonOf(output ?? '') : wordsOf(pieces);
  return { kind: 'tool_result', text, tool, toolUseId, ...(images === 0 ? {} : { facts: { images } }) };
}

const NO_TOOLS: ReadonlyMap<string, string> = new Map();

/** Whether a line is one of a rollout that holds texts. */
export function isRolloutLine({ type, payload }: JsonObject): boolean {
  return (type === 'response_item' || type === 'compacted') && isObject(payload);
}

/** The text of one part of a rollout's line: what an item holds; of a compaction its summary, then the messages of its history. */
export function textOfRolloutPart({ type, payload }: JsonObject, part: number): string | null {
  if (!isObject(payload)) return null;
  if (type !== 'compacted') {
    const result = resultPiece(payload, NO_TOOLS);
    const pieces = result === null ? (modelPieces(payload) ?? contentPieces(payload.content)) : [result];
    return pieces[part]?.text ?? null;
  }
  if (part === 0) return textOf(payload.message);
  let before = 1;
  for (const item of historyMessages(payload)) {
    const pieces = contentPieces(item.content);
    if (part < before + pieces.length) return pieces[part - before]!.text;
    before += pieces.length;
  }
  return null;
}

/** The messages that a compaction leaves. */
export function historyMessages(payload: JsonObject): readonly JsonObject[] {
  return objectsOf(payload.replacement_history).filter(({ type }) => type === 'message');
}

/** What a call was billed, as a rollout counts it. */
export interface RolloutUsage {
  readonly usage: Usage;
  readonly reasoning: number;
  /** Prompt and response together. */
  readonly total: number;
}

/** The usage of a call: input includes what was read and written. Null when nothing was counted. */
export function rolloutUsage(value: unknown): RolloutUsage | null {
  if (!isObject(value) || tokensOf(value.input_tokens) === null) return null;
  const read = tokensOf(value.cached_input_tokens);
  const written = tokensOf(value.cache_write_input_tokens);
  const output = tokensOf(value.output_tokens);
  return {
    usage: usageWithin(tokensOf(value.input_tokens) ?? 0, { read, written, output }),
    reasoning: Math.min(knownTokens(output) ?? 0, knownTokens(value.reasoning_output_tokens) ?? 0),
    total: knownTokens(value.total_tokens) ?? 0,
  };
}

/** What tells the sums of a session after one call from those after another. */
export function totalsKey(value: unknown): string | null {
  if (!isObject(value)) return null;
  const { input_tokens, cached_input_tokens, output_tokens, total_tokens } = value;
  return [input_tokens, cached_input_tokens, output_tokens, total_tokens].map(countOf).join('-');
}
