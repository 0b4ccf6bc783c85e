import type { Block } from '../../../core/model/block.js';
import { createBlock } from '../../../core/model/block.js';
import { BeyondBudget, EMPTIED_CALL_TOKENS, type ServerRules } from './beyond-budget.js';
import type { Clearing } from './clearing.js';
import type { ResultLedger } from './ledger.js';

/** A clearing of tool uses as the API tells of it in its response (api.md 2). */
export interface AppliedToolEdit {
  readonly type: 'clear_tool_uses_20250919';
  readonly cleared_tool_uses: number;
  readonly cleared_input_tokens: number;
}

/** One strategy of the server over some tools: results alone, or whole calls (MIC-4, C29). */
export class ServerStrategy {
  private readonly beyond: BeyondBudget;

  constructor(
    private readonly ledger: ResultLedger,
    private readonly rules: ServerRules,
    private readonly clearAtLeast: number,
  ) {
    this.beyond = new BeyondBudget(ledger, rules);
  }

  /** Whether it would clear enough to be applied. */
  isWorthIt(): boolean {
    this.beyond.advance();
    return this.beyond.clearable >= this.clearAtLeast;
  }

  /** Clears what is beyond the budget, and tells of it. */
  clear(clearing: Clearing): AppliedToolEdit {
    const { saved } = clearing;
    const uses = clearing.originals.length;
    const entries = this.beyond.entries();
    for (const entry of entries) {
      clearing.clearResult(entry);
      if (this.rules.clears === 'calls') clearing.clearCall(entry, emptiedCall);
    }
    this.ledger.mark(entries, 'cleared');
    return {
      type: 'clear_tool_uses_20250919',
      cleared_tool_uses: clearing.originals.length - uses,
      cleared_input_tokens: clearing.saved - saved,
    };
  }
}

/** A call as the server leaves it when it clears the input too. */
function emptiedCall(call: Block): Block {
  const { path } = call.facts;
  return createBlock({
    kind: 'tool_use',
    role: 'assistant',
    tokens: Math.min(call.tokens, EMPTIED_CALL_TOKENS),
    text: `${call.tool ?? ''}{}`,
    toolUseId: call.toolUseId,
    tool: call.tool,
    facts: path === undefined ? { replaces: 'cleared' } : { path, replaces: 'cleared' },
  });
}
