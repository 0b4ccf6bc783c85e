import { MS_PER_MINUTE } from '../../../core/base/clock.js';
import { type Block, createBlock } from '../../../core/model/block.js';
import type { Action, Outcome } from '../../../core/run/action.js';
import type {
  ContextView,
  HookContext,
  LayerContext,
  LayerDefinition,
  LayerInstance,
} from '../../../core/run/layer.js';
import type { AppliedEdit } from '../../../provider/fake-api/messages/context-edits.js';
import { PLACEHOLDER_TOKENS } from '../support/compactable.js';
import { changeReport, sizeBefore } from '../support/compaction-report.js';
import { layerParams, param } from '../support/param-reader.js';
import { Clearing } from './clear-results.js';
import { type LedgerEntry, type ResultLedger, resultLedger } from './ledger.js';

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

/** Results older than the server's budget for recent ones; a window that only moves forward while results are added. @internal */
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
type AppliedToolEdit = Extract<AppliedEdit, { readonly type: 'clear_tool_uses_20250919' }>;

/** One strategy of the server over some tools: results alone, or whole calls (MIC-4, C29). */
class ServerStrategy {
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

/**
 * Context editing by the server (MIC-4): it decides on the true tokens of the request that comes in, after everything the client
 * checked, and what it cleared once stays cleared. The client learns of it from the usage (C29).
 */
class ApiNativeMicrocompact implements LayerInstance {
  readonly canCheckpoint = true;
  private readonly ledger: ResultLedger;
  /** Results of readers, then whole calls of writers. */
  private readonly strategies: readonly ServerStrategy[];
  private readonly triggerTokens: number;
  private readonly clearTools: boolean;
  private readonly clearThinking: boolean;
  private readonly idleMs: number;
  private readonly keepTurns: number;

  constructor(context: LayerContext) {
    const { params } = context;
    const path = 'microcompact.apiNative';
    this.ledger = resultLedger(context);
    const keepTokens = param.number(params, `${path}.keepTokens`);
    const keepToolUses = param.numberOrNull(params, `${path}.keepToolUses`);
    const excluded = new Set(param.names(params, `${path}.excludeTools`));
    const writers = new Set(param.names(params, `${path}.clearToolInputs`));
    const least = Math.max(1, param.number(params, `${path}.clearAtLeast`));
    this.strategies = (['results', 'calls'] as const).map((clears) => {
      const concerns = (tool: string): boolean =>
        !excluded.has(tool) && writers.has(tool) === (clears === 'calls');
      return new ServerStrategy(this.ledger, { keepTokens, keepToolUses, concerns, clears }, least);
    });
    this.triggerTokens = param.number(params, `${path}.triggerTokens`);
    this.clearTools = param.isOn(params, `${path}.clearTools`);
    this.clearThinking = param.isOn(params, `${path}.clearThinking`);
    this.idleMs = param.number(params, `${path}.thinkingIdleMinutes`) * MS_PER_MINUTE;
    this.keepTurns = param.number(params, `${path}.thinkingKeepTurns`);
  }

  reset(): void {
    this.ledger.reset();
  }

  resume(): void {
    this.reset();
  }

  due(moment: HookContext, view: ContextView): boolean {
    this.ledger.sync(view, moment.turn);
    return this.thinkingIsDue(moment) || this.toolsAreDue(view);
  }

  private thinkingIsDue(moment: HookContext): boolean {
    if (!this.clearThinking || this.ledger.thinkingResponses <= this.keepTurns) return false;
    return moment.lastResponseMs !== null && moment.now - moment.lastResponseMs > this.idleMs;
  }

  private toolsAreDue(view: ContextView): boolean {
    if (!this.clearTools || view.trueTokens + this.ledger.serverTokens <= this.triggerTokens) return false;
    for (let i = 0; i < this.strategies.length; i++) if (this.strategies[i]!.isWorthIt()) return true;
    return false;
  }

  *act(moment: HookContext, view: ContextView): Generator<Action, void, Outcome> {
    const before = sizeBefore(view);
    const clearableBefore = this.ledger.activeTokens;
    const clearing = new Clearing(view.messages);
    const applied: AppliedEdit[] = [];
    const clearsTools = this.toolsAreDue(view);
    if (this.thinkingIsDue(moment)) {
      const turns = this.dropThinking(clearing);
      if (turns > 0) {
        applied.push({
          type: 'clear_thinking_20251015',
          cleared_thinking_turns: turns,
          cleared_input_tokens: clearing.saved,
        });
      }
    }
    if (clearsTools) {
      // Both look at the request as it came in: what one clears does not keep the other from clearing.
      const worthIt = this.strategies.filter((strategy) => strategy.isWorthIt());
      for (const strategy of worthIt) applied.push(strategy.clear(clearing));
    }
    if (clearing.edits.length === 0) return;
    this.ledger.serverTokens += clearing.saved;
    const reason = clearsTools
      ? `the prompt has more than ${this.triggerTokens} tokens`
      : `idle for more than ${this.idleMs / MS_PER_MINUTE} minutes: older thinking is dropped`;
    const by = { layer: 'microcompact', reason } as const;
    yield { kind: 'rewrite-blocks', by, cause: 'microcompaction', keep: 'server', edits: clearing.edits };
    yield changeReport(view, before, {
      layer: 'microcompact',
      action: 'clear',
      trigger: 'server',
      reason,
      saved: clearing.saved,
      details: {
        form: 'apiNative',
        tools: clearing.tools,
        ids: clearing.originals.length,
        manual: false,
        seenSaved: clearing.seenSaved,
        applied_edits: applied,
        clearableBefore,
        clearableAfter: this.ledger.activeTokens,
      },
    });
  }

  /** Takes out all thinking but that of the latest responses; returns how many responses lost theirs. */
  private dropThinking(clearing: Clearing): number {
    const { thinking } = this.ledger;
    let first = thinking.length;
    let kept = 0;
    while (first > 0) {
      if (thinking[first - 1]!.response !== thinking[first]?.response && ++kept > this.keepTurns) break;
      first--;
    }
    let dropped = 0;
    let last: string | null = null;
    for (const place of thinking.slice(0, first)) {
      if (
        clearing.remove(place.messageIndex, (block) => block.kind === 'thinking') === 0 ||
        place.response === last
      )
        continue;
      last = place.response;
      dropped++;
    }
    this.ledger.keepThinking(thinking.slice(first), Math.min(kept, this.keepTurns));
    return dropped;
  }
}

/** API-native context management of 2026 (MIC-4). */
export const apiNativeMicrocompactLayer: LayerDefinition = {
  name: 'microcompact-api',
  layer: 'microcompact',
  points: ['before-request'],
  needs: ['tools', 'timestamps'],
  killSwitch: 'microcompact.apiNative.enabled',
  params: layerParams('microcompact-api'),
  create: (context) => new ApiNativeMicrocompact(context),
};
