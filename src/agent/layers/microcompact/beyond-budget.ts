import { PLACEHOLDER_TOKENS } from '../support/compactable.js';
import type { LedgerEntry, ResultLedger } from './ledger.js';

/** What a strategy of the server is about, what it keeps and what it clears (MIC-4). */
export interface ServerRules {
  /** Latest results stay up to this many true tokens, or up to so many results when that is given. */
  readonly keepTokens: number;
  readonly keepToolUses: number | null;
  concerns(tool: string): boolean;
  /** Results alone, or the input of their calls with them. */
  readonly clears: 'results' | 'calls';
}

/** True tokens of a call whose input was cleared: an assumption, about its name, its id and an empty object. */
export const EMPTIED_CALL_TOKENS = 20;

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
      this.keptTokens += entry.tokens;
      this.keptCount++;
    }
    while (this.keptCount > 1 && this.isOver()) {
      const entry = entries[this.firstKept++]!;
      if (!this.concerns(entry)) continue;
      this.keptTokens -= entry.tokens;
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

  private savingOf(entry: LedgerEntry): number {
    const result = Math.max(0, entry.tokens - PLACEHOLDER_TOKENS);
    if (entry.callIndex < 0 || this.rules.clears === 'results') return result;
    return result + Math.max(0, entry.callTokens - EMPTIED_CALL_TOKENS);
  }
}
