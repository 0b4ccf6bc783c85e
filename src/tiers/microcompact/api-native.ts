import { MS_PER_MINUTE } from '../../base/clock.js';
import type { Action, Outcome } from '../../model/action.js';
import { type Block, createBlock } from '../../model/block.js';
import type { ContextView, Moment, TierContext, TierDefinition, TierInstance } from '../../model/tier.js';
import { integerParam, param, switchParam } from '../param-reader.js';
import { BeyondBudget, EMPTIED_CALL_TOKENS, type ServerRules } from './beyond-budget.js';
import { Clearing } from './clearing.js';
import { type ResultLedger, resultLedger } from './ledger.js';

/** An edit as the API tells of it in its response (api.md 2). */
type AppliedEdit =
  | {
      readonly type: 'clear_thinking_20251015';
      readonly cleared_thinking_turns: number;
      readonly cleared_input_tokens: number;
    }
  | {
      readonly type: 'clear_tool_uses_20250919';
      readonly cleared_tool_uses: number;
      readonly cleared_input_tokens: number;
    };

/** Context editing by the server: it decides on true tokens, and what it cleared once stays cleared (MIC-4). */
class ApiNativeMicrocompact implements TierInstance {
  private readonly ledger: ResultLedger;
  private readonly rules: ServerRules;
  private readonly beyond: BeyondBudget;
  private readonly triggerTokens: number;
  private readonly clearAtLeast: number;
  private readonly clearTools: boolean;
  private readonly clearThinking: boolean;
  private readonly idleMs: number;
  private readonly keepTurns: number;

  constructor(context: TierContext) {
    const { params } = context;
    const path = 'microcompact.apiNative';
    this.ledger = resultLedger(context);
    this.rules = {
      keepTokens: param.number(params, `${path}.keepTokens`),
      keepToolUses: param.numberOrNull(params, `${path}.keepToolUses`),
      excluded: new Set(param.names(params, `${path}.excludeTools`)),
      withInput: new Set(param.names(params, `${path}.clearToolInputs`)),
    };
    this.beyond = new BeyondBudget(this.ledger, this.rules);
    this.triggerTokens = param.number(params, `${path}.triggerTokens`);
    this.clearAtLeast = Math.max(1, param.number(params, `${path}.clearAtLeast`));
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

  due(moment: Moment, view: ContextView): boolean {
    this.ledger.sync(view, moment.turn);
    return this.thinkingIsDue(moment) || this.toolsAreDue(view);
  }

  private thinkingIsDue(moment: Moment): boolean {
    if (!this.clearThinking || this.ledger.thinkingResponses <= this.keepTurns) return false;
    return moment.lastResponseMs !== null && moment.now - moment.lastResponseMs > this.idleMs;
  }

  private toolsAreDue(view: ContextView): boolean {
    if (!this.clearTools || view.trueTokens + this.ledger.serverTokens <= this.triggerTokens) return false;
    this.beyond.advance();
    return this.beyond.clearable >= this.clearAtLeast;
  }

  *act(moment: Moment, view: ContextView): Generator<Action, void, Outcome> {
    const { trueTokens: trueBefore, seenTokens: seenBefore } = view;
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
      const fromThinking = clearing.saved;
      const entries = this.beyond.entries();
      for (const entry of entries) {
        clearing.clearResult(entry);
        if (this.rules.withInput.has(entry.tool)) clearing.clearCall(entry, emptiedCall);
      }
      this.ledger.mark(entries, 'cleared');
      applied.push({
        type: 'clear_tool_uses_20250919',
        cleared_tool_uses: clearing.originals.length,
        cleared_input_tokens: clearing.saved - fromThinking,
      });
    }
    if (clearing.edits.length === 0) return;
    this.ledger.serverTokens += clearing.saved;
    const reason = clearsTools
      ? `the prompt has more than ${this.triggerTokens} tokens`
      : `idle for more than ${this.idleMs / MS_PER_MINUTE} minutes: older thinking is dropped`;
    const by = { layer: 'microcompact', reason } as const;
    yield { kind: 'rewrite-blocks', by, cause: 'microcompaction', keep: 'live', edits: clearing.edits };
    yield {
      kind: 'report',
      entry: {
        layer: 'microcompact',
        action: 'clear',
        trigger: 'server',
        outcome: 'done',
        reason,
        failure: null,
        seenBefore,
        seenAfter: view.seenTokens,
        trueBefore,
        trueAfter: view.trueTokens,
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
      },
    };
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
    facts: { ...(path === undefined ? {} : { path }), replaces: 'cleared' },
  });
}

/** API-native context management of 2026 (MIC-4). */
export const apiNativeMicrocompactTier: TierDefinition = {
  name: 'microcompact-api',
  layer: 'microcompact',
  points: ['before-request'],
  needs: ['tools', 'timestamps'],
  killSwitch: 'microcompact.apiNative.enabled',
  params: [
    switchParam('microcompact.apiNative.enabled', true, 'The server clears old content by itself (MIC-4).'),
    switchParam('microcompact.apiNative.clearTools', true, 'Old tool results are cleared (clear_tool_uses).'),
    integerParam(
      'microcompact.apiNative.triggerTokens',
      180_000,
      'tokens',
      'Clears once the prompt has more true tokens than this, what was cleared before included (MIC-4).',
    ),
    integerParam(
      'microcompact.apiNative.keepTokens',
      40_000,
      'tokens',
      'The latest results stay up to this sum, one at least (MIC-4).',
    ),
    integerParam(
      'microcompact.apiNative.keepToolUses',
      null,
      'results',
      'So many of the latest results stay, whatever their size; null goes by tokens.',
      { min: 1 },
    ),
    integerParam(
      'microcompact.apiNative.clearAtLeast',
      140_000,
      'tokens',
      'Nothing is cleared unless it clears this much (MIC-4).',
    ),
    {
      path: 'microcompact.apiNative.excludeTools',
      kind: { type: 'names' },
      default: [],
      unit: null,
      help: 'Tools whose results the server leaves alone.',
    },
    {
      path: 'microcompact.apiNative.clearToolInputs',
      kind: { type: 'names' },
      default: ['Edit', 'Write'],
      unit: null,
      help: 'Tools whose call is emptied with its result (MIC-4).',
    },
    switchParam(
      'microcompact.apiNative.clearThinking',
      true,
      'Older thinking is dropped after a pause (clear_thinking).',
    ),
    integerParam(
      'microcompact.apiNative.thinkingIdleMinutes',
      60,
      'minutes',
      'The pause after which older thinking is dropped (MIC-4).',
    ),
    integerParam(
      'microcompact.apiNative.thinkingKeepTurns',
      1,
      'responses',
      'Latest responses that keep their thinking after a pause (MIC-4).',
      { min: 1 },
    ),
  ],
  create: (context) => new ApiNativeMicrocompact(context),
};
