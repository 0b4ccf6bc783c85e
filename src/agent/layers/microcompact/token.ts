import type { Action, Outcome } from '../../../core/run/action.js';
import type {
  ContextView,
  HookContext,
  LayerContext,
  LayerDefinition,
  LayerInstance,
} from '../../../core/run/layer.js';
import type { Limit } from '../../../core/run/limit.js';
import { compactionHistory } from '../auto-compact/history.js';
import { layerParams, param } from '../support/param-reader.js';
import { warningLimit } from '../thresholds/thresholds.js';
import { clearResults } from './clear-results.js';
import { type ResultLedger, resultLedger } from './ledger.js';

/** How far the walk from the oldest result has come; it only goes on while results are added. */
class OldestFirst {
  count = 0;
  private version = -1;
  private index = 0;
  private rough = 0;

  constructor(
    private readonly ledger: ResultLedger,
    private readonly keepRecent: number,
  ) {}

  /** Estimated saving of clearing from the oldest on until the rest fits the target, the latest protected. */
  saving(targetTokens: number): number {
    const { ledger } = this;
    if (this.version !== ledger.version) {
      this.version = ledger.version;
      this.index = 0;
      this.count = 0;
      this.rough = 0;
    }
    const unprotected = ledger.active - this.keepRecent;
    while (this.count < unprotected && ledger.activeRough - this.rough > targetTokens) {
      const entry = ledger.entries[this.index++]!;
      if (entry.state !== 'active') continue;
      this.count++;
      this.rough += entry.rough;
    }
    return this.rough;
  }
}

/** Clears old results once the context nears its limit (MIC-1). */
class TokenMicrocompact implements LayerInstance {
  readonly canCheckpoint = true;
  private readonly ledger: ResultLedger;
  private readonly automatic: OldestFirst;
  private readonly manual: OldestFirst;
  private readonly targetTokens: number;
  private readonly manualTarget: number;
  private readonly minSaving: number;
  private readonly requiresWarning: boolean;
  private readonly originals: 'keep' | 'drop';
  private known: ReturnType<LayerContext['model']> | null = null;
  private warning: Limit | null = null;

  constructor(private readonly context: LayerContext) {
    const { params } = context;
    this.ledger = resultLedger(context);
    const keepRecent = param.number(params, 'microcompact.token.keepRecent');
    this.automatic = new OldestFirst(this.ledger, keepRecent);
    this.manual = new OldestFirst(this.ledger, keepRecent);
    this.targetTokens = param.number(params, 'microcompact.token.targetTokens');
    this.manualTarget = param.numberOrNull(params, 'microcompact.token.manualTarget') ?? this.targetTokens;
    this.minSaving = Math.max(1, param.number(params, 'microcompact.token.minSaving'));
    this.requiresWarning = param.isOn(params, 'microcompact.token.requiresWarning');
    this.originals = param.isOn(params, 'microcompact.token.keepOriginals') ? 'keep' : 'drop';
  }

  reset(): void {
    this.ledger.reset();
  }

  resume(): void {
    this.ledger.reset();
  }

  due(moment: HookContext, view: ContextView): boolean {
    this.ledger.sync(view, moment.turn);
    if (moment.point === 'manual-clear') return this.manual.saving(this.manualTarget) >= this.minSaving;
    if (this.automatic.saving(this.targetTokens) < this.minSaving) return false;
    return !this.requiresWarning || this.warningTokens().isMetBy(view.seenTokens);
  }

  *act(moment: HookContext, view: ContextView): Generator<Action, void, Outcome> {
    const byHand = moment.point === 'manual-clear';
    if (!byHand) compactionHistory(this.context.shared).noteCount(moment.turn, view.seenTokens);
    const count = byHand ? this.manual.count : this.automatic.count;
    yield* clearResults(this.context, this.ledger, view, this.ledger.oldest(count), {
      form: 'token',
      trigger: byHand ? 'manual' : 'auto',
      reason: byHand
        ? `asked to bring tool results down to ${this.manualTarget} tokens`
        : `tool results take more than ${this.targetTokens} tokens of a context near its limit`,
      originals: this.originals,
      memories: 'clear',
    });
  }

  private warningTokens(): Limit {
    const model = this.context.model();
    if (model !== this.known || this.warning === null) {
      this.known = model;
      this.warning = warningLimit(this.context);
    }
    return this.warning;
  }
}

/** Token-triggered microcompaction of 2.0 and 2.1 (MIC-1). */
export const tokenMicrocompactLayer: LayerDefinition = {
  name: 'microcompact-token',
  layer: 'microcompact',
  points: ['before-request', 'manual-clear'],
  needs: ['tools'],
  killSwitch: 'microcompact.token.enabled',
  params: layerParams('microcompact-token'),
  create: (context) => new TokenMicrocompact(context),
};
