import { type Block, toolBlock, uniformFacts } from '../../../core/model/block.js';

/** Tools whose results may be cleared (MIC). */
export const COMPACTABLE_TOOLS: readonly string[] = [
  'Read',
  'Bash',
  'Grep',
  'Glob',
  'WebSearch',
  'WebFetch',
  'Edit',
  'Write',
];

/** What replaces a cleared result (MIC). */
export const CLEARED_PLACEHOLDER = '[Old tool result content cleared]';

/** True tokens of the placeholder in its tool_result wrapper. */
export const PLACEHOLDER_TOKENS = 12;

const CLEARED_FACTS = uniformFacts({ replaces: 'cleared' });

/** The block that replaces a cleared result. */
export function clearedBlock(original: Block): Block {
  const tokens = Math.min(PLACEHOLDER_TOKENS, original.tokens);
  return toolBlock(
    'tool_result',
    CLEARED_PLACEHOLDER,
    tokens,
    original.tool,
    original.toolUseId,
    CLEARED_FACTS,
  );
}
