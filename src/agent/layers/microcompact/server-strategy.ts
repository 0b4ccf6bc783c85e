import { type Block, createBlock } from '../../../core/model/block.js';
import { PLACEHOLDER_TOKENS } from '../support/compactable.js';
import type { Clearing } from './clear-results.js';
import type { LedgerEntry, ResultLedger } from './ledger.js';

/** What a strategy of the server is about, what it keeps and what it clears (MIC-4). */
export interface ServerRules {
  /** The latest stay: up to this many true tokens of what is cleared, or up to a number of results where that is set. */
  readonly keepTokens: number;
  readonly keepToolUses: number | null;
  concerns(tool: string): boolean;
  /** Results alone, or the input of their calls with them. */
  readonly clears: 'results' | 'calls';
}

/** True tokens of a call whose input was cleared: an assumption, about its name, its id and an empty object. */
const EMPTIED_CALL_TOKENS = 20;

/** Results older than the server's budget for recent ones; a window that only moves forward while results are added. */
export class BeyondBudget {
  /** True tokens that clearing them would save. */
  clearable = 0;
  private version = -1;
  private firstKept = 0;
  private next = 0;
  private keptTokens = 0;
  private keptCount = 0;

  constructor(
    private readonly ledger: ResultLedger,
    private readonly rules: ServerRules,
  ) {}

  /** Takes in the results that came since the last look; the latest always stays. */
  advance(): void {
    const { ledger } = this;
    const { entries } = ledger;
    if (this.version !== ledger.version) {
      this.version = ledger.version;
      this.clearable = 0;
      this.firstKept = 0;
      this.next = 0;
      this.keptTokens = 0;
      this.keptCount = 0;
    }
    while (this.next < entries.length) {
      const entry = entries[this.next++]!;
      if (!this.concerns(entry)) continue;
      this.keptTokens += this.sizeOf(entry);
      this.keptCount++;
    }
    while (this.keptCount > 1 && this.isOver()) {
      const entry = entries[this.firstKept++]!;
      if (!this.concerns(entry)) continue;
      this.keptTokens -= this.sizeOf(entry);
      this.keptCount--;
      this.clearable += this.savingOf(entry);
    }
  }

  /** The results beyond the budget, oldest first. */
  entries(): LedgerEntry[] {
    return this.ledger.entries.slice(0, this.firstKept).filter((entry) => this.concerns(entry));
  }

  private isOver(): boolean {
    const { keepTokens, keepToolUses } = this.rules;
    return keepToolUses === null ? this.keptTokens > keepTokens : this.keptCount > keepToolUses;
  }

  private concerns(entry: LedgerEntry): boolean {
    return entry.state === 'active' && this.rules.concerns(entry.tool);
  }

  /** What it takes of the budget: the result, or the whole call where that is what is cleared (C43). */
  private sizeOf({ tokens, callTokens }: LedgerEntry): number {
    return this.rules.clears === 'results' ? tokens : tokens + callTokens;
  }

  private savingOf(entry: LedgerEntry): number {
    const result = Math.max(0, entry.tokens - PLACEHOLDER_TOKENS);
    if (entry.callIndex < 0 || this.rules.clears === 'results') return result;
    return result + Math.max(0, entry.callTokens - EMPTIED_CALL_TOKENS);
  }
}

/** A clearing of tool uses as the API reports it in its response (api.md 2). */
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

  /** Clears what is beyond the budget and returns the API's report of it. */
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
