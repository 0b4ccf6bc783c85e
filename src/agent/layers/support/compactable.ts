import { type Block, toolBlock, uniformFacts } from '../../../core/model/block.js';

/** Tool calls whose results have not come, the latest of an id alone. There are only ever a few, so a list is all it takes. */
export class AwaitedCalls {
  private calls: Block[] = [];

  add(call: Block): void {
    this.take(call.toolUseId);
    this.calls.push(call);
  }

  /** The call of an id, which waits no longer; undefined when there is none. */
  take(toolUseId: string | null): Block | undefined {
    const { calls } = this;
    if (toolUseId === null) return undefined;
    for (let i = calls.length - 1; i >= 0; i--) {
      const call = calls[i]!;
      if (call.toolUseId !== toolUseId) continue;
      if (i === calls.length - 1) calls.pop();
      else calls.splice(i, 1);
      return call;
    }
    return undefined;
  }
}

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
