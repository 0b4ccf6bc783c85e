import { hasToolUse, type Message } from '../../core/model/message.js';
import type { ModelRow } from '../prices/model-row.js';
import { type ApiError, invalidRequest } from './api-error.js';

/** True when a user message holds anything but tool results: it ends the assistant's turn. */
function endsTurn(message: Message): boolean {
  return message.role === 'user' && message.blocks.some((block) => block.kind !== 'tool_result');
}

/**
 * Index of the first message whose thinking blocks the model still sees; the ones before it are stripped, so the cache
 * misses from the first stripped block on. A loop of tool calls is one turn.
 */
export function thinkingKeptFrom(row: ModelRow, messages: readonly Message[]): number {
  if (row.thinking === 'keep-all') return 0;
  for (let i = messages.length - 1; i >= 0; i--)
    if (endsTurn(messages[i]!) && (row.thinking === 'keep-last-turn' || isAnswered(messages, i))) return i;
  return 0;
}

/** True when the assistant had nothing left to do before a message: its latest response calls no tool. */
function isAnswered(messages: readonly Message[], index: number): boolean {
  for (let i = index - 1; i >= 0; i--)
    if (messages[i]!.role === 'assistant') return !hasToolUse(messages[i]!);
  return false;
}

/** What the API does with a thinking block whose prefix is not the one it was made with. */
export type BindingVerdict =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'dropped' }
  | { readonly kind: 'refused'; readonly error: ApiError };

const ACCEPTED: BindingVerdict = Object.freeze({ kind: 'accepted' });
const DROPPED: BindingVerdict = Object.freeze({ kind: 'dropped' });

/** A replayed thinking block. */
export interface ThinkingReplay {
  /** Path of the block, such as `messages.5.content.0`. */
  readonly path: string;
  /** Whether system, tools or a message before the block differ from when it was made. */
  readonly prefix: 'unchanged' | 'changed';
  /** What the request asks for: the default is an error. */
  readonly onMismatch?: 'error' | 'drop_block';
}

/** Applies preserved thinking: on models that bind their thinking, a changed prefix is refused or drops the block. */
export function checkThinkingBinding(row: ModelRow, replay: ThinkingReplay): BindingVerdict {
  if (!row.preservedThinking || replay.prefix === 'unchanged') return ACCEPTED;
  if (replay.onMismatch === 'drop_block') return DROPPED;
  return {
    kind: 'refused',
    error: invalidRequest(
      `${replay.path}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block". That setting requires the \`thinking-binding-controls-2026-08-01\` value in the \`anthropic-beta\` header.`,
    ),
  };
}

/** The refusal of a changed thinking block in the latest assistant message. */
export function modifiedThinkingError(path: string): ApiError {
  return invalidRequest(
    `${path}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`,
  );
}
