import { type ApiError, invalidRequest } from '../cache/api-error.js';
import type { WireBlock } from './wire-block.js';

/** Consecutive messages of one role. */
export interface Turn {
  readonly role: 'user' | 'assistant' | 'system';
  /** Index of its last message in the request. */
  readonly index: number;
  readonly blocks: readonly WireBlock[];
}

function idsOf(turn: Turn | undefined, kind: 'tool_use' | 'tool_result'): readonly string[] {
  if (turn === undefined) return [];
  return turn.blocks.flatMap(({ block }) =>
    block.kind === kind && block.toolUseId !== null ? [block.toolUseId] : [],
  );
}

function checkPairs(turns: readonly Turn[]): ApiError | null {
  for (const [i, turn] of turns.entries()) {
    if (turn.role === 'assistant') {
      const answered = new Set(idsOf(turns[i + 1], 'tool_result'));
      const open = idsOf(turn, 'tool_use').filter((id) => !answered.has(id));
      if (open.length > 0) {
        return invalidRequest(
          `messages.${turn.index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
        );
      }
      continue;
    }
    const asked = new Set(idsOf(turns[i - 1], 'tool_use'));
    for (const { block, path } of turn.blocks) {
      if (block.kind === 'tool_result' && !asked.has(block.toolUseId ?? '')) {
        return invalidRequest(
          `${path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${block.toolUseId}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
        );
      }
    }
  }
  return null;
}

/** What the API refuses about the messages of a request; null when nothing is wrong. */
export function checkMessages(turns: readonly Turn[], prefill: 'accepted' | 'refused'): ApiError | null {
  const spoken = turns.filter(({ role }) => role !== 'system');
  const first = spoken[0];
  if (first === undefined) return invalidRequest('messages: at least one message is required');
  if (first.role !== 'user') return invalidRequest('messages: first message must use the "user" role');
  for (const { blocks } of spoken) {
    if (blocks.some(({ isEmptyText }) => isEmptyText)) {
      return invalidRequest('messages: text content blocks must be non-empty');
    }
  }
  const paired = checkPairs(spoken);
  if (paired !== null) return paired;
  if (prefill === 'refused' && spoken.at(-1)!.role === 'assistant') {
    return invalidRequest(
      'This model does not support assistant message prefill. The conversation must end with a user message.',
    );
  }
  return null;
}
