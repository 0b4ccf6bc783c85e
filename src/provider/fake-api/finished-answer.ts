import type { AnswerBlock } from './answer.js';
import type { FinishedAnswer } from './wire-api.js';

/** Tokens of an answer that are thinking. */
export function thinkingTokens({ request, answer }: FinishedAnswer): number {
  let tokens = 0;
  for (const block of answer.content) if (block.type === 'thinking') tokens += request.count(block.thinking);
  return Math.min(tokens, answer.outputTokens);
}

/** The blocks of an answer; a tool call whose id another one of them has gets an id of its own. */
export function distinctBlocks({ answer }: FinishedAnswer): readonly AnswerBlock[] {
  const ids = new Set<string>();
  return answer.content.map((block, i) => {
    if (block.type !== 'tool_use') return block;
    const id = ids.has(block.id) ? `${block.id}_${i}` : block.id;
    ids.add(id);
    return { ...block, id };
  });
}
