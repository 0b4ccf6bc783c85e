import { MS_PER_MINUTE } from '../../../core/base/clock.js';
import { createNameTable } from '../../../core/base/own-value.js';
import type { Action, Outcome } from '../../../core/run/action.js';
import type { ContextView, HookContext, LayerContext, LayerDefinition } from '../../../core/run/layer.js';
import type { Limit } from '../../../core/run/limit.js';
import { compactionHistory } from '../auto-compact/history.js';
import { type FileState, fileState } from '../file-state/file-state.js';
import { changeReport, sizeBefore } from '../support/compaction-report.js';
import { layerParams, param } from '../support/param-reader.js';
import { warningLimit } from '../thresholds/thresholds.js';
import { clearResults } from './clear-results.js';
import { type ResultLedger, resultLedger } from './ledger.js';

/** A layer that clears or deletes the results its thread holds: they are counted again when the history is replaced. */
abstract class LedgerLayer {
  readonly canCheckpoint = true;
  protected readonly ledger: ResultLedger;

  constructor(protected readonly context: LayerContext) {
    this.ledger = resultLedger(context);
  }

  reset(): void {
    this.ledger.reset();
  }

  resume(): void {
    this.ledger.reset();
  }
}

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
class TokenMicrocompact extends LedgerLayer {
  private readonly automatic: OldestFirst;
  private readonly manual: OldestFirst;
  private readonly targetTokens: number;
  private readonly manualTarget: number;
  private readonly minSaving: number;
  private readonly requiresWarning: boolean;
  private readonly originals: 'keep' | 'drop';
  private known: ReturnType<LayerContext['model']> | null = null;
  private warning: Limit | null = null;

  constructor(context: LayerContext) {
    super(context);
    const { params } = context;
    const keepRecent = param.number(params, 'microcompact.token.keepRecent');
    this.automatic = new OldestFirst(this.ledger, keepRecent);
    this.manual = new OldestFirst(this.ledger, keepRecent);
    this.targetTokens = param.number(params, 'microcompact.token.targetTokens');
    this.manualTarget = param.numberOrNull(params, 'microcompact.token.manualTarget') ?? this.targetTokens;
    this.minSaving = Math.max(1, param.number(params, 'microcompact.token.minSaving'));
    this.requiresWarning = param.isOn(params, 'microcompact.token.requiresWarning');
    this.originals = param.isOn(params, 'microcompact.token.keepOriginals') ? 'keep' : 'drop';
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

/** Clears old results when the user comes back after the cache has gone (MIC-2). */
class TimeBasedMicrocompact extends LedgerLayer {
  private readonly gapMinutes: number;
  private readonly keepRecent: number;

  constructor(context: LayerContext) {
    super(context);
    const { params } = context;
    this.gapMinutes = param.number(params, 'microcompact.timeBased.gapMinutes');
    this.keepRecent = Math.max(1, param.number(params, 'microcompact.timeBased.keepRecent')); // MIC-2: floor 1
  }

  due(moment: HookContext, view: ContextView): boolean {
    const { lastResponseMs } = moment;
    if (lastResponseMs === null || moment.now - lastResponseMs <= this.gapMinutes * MS_PER_MINUTE)
      return false;
    this.ledger.sync(view, moment.turn);
    return this.ledger.active > this.keepRecent;
  }

  *act(moment: HookContext, view: ContextView): Generator<Action, void, Outcome> {
    const minutes = Math.floor((moment.now - (moment.lastResponseMs ?? moment.now)) / MS_PER_MINUTE);
    const entries = this.ledger.oldest(this.ledger.active - this.keepRecent);
    yield* clearResults(this.context, this.ledger, view, entries, {
      form: 'timeBased',
      trigger: 'idle',
      reason: `idle for ${minutes} minutes, over the limit of ${this.gapMinutes}`,
      originals: 'drop',
      memories: 'leave',
    });
  }
}

/** Time-based microcompaction of 2026 (MIC-2). */
export const timeBasedMicrocompactLayer: LayerDefinition = {
  name: 'microcompact-time',
  layer: 'microcompact',
  points: ['before-request'],
  needs: ['tools', 'timestamps'],
  killSwitch: 'microcompact.timeBased.enabled',
  params: layerParams('microcompact-time'),
  create: (context) => new TimeBasedMicrocompact(context),
};

/** Deletes old results on the server while the cache is warm; local messages stay as they are (MIC-3). */
class CachedMicrocompact extends LedgerLayer {
  private readonly minActive: number;
  private readonly keepRecent: number;
  private readonly files: FileState;

  constructor(context: LayerContext) {
    super(context);
    const { params } = context;
    this.files = fileState(context);
    this.keepRecent = param.number(params, 'microcompact.cached.keepRecent');
    this.minActive = Math.max(param.number(params, 'microcompact.cached.minActive'), this.keepRecent + 1);
  }

  due(moment: HookContext, view: ContextView): boolean {
    if (moment.source !== 'main') return false;
    const { ledger } = this;
    ledger.sync(view, moment.turn);
    if (!view.cacheIsWarm || ledger.active - ledger.returned < this.minActive) return false;
    return ledger.oldestDeletable!.turn < moment.turn;
  }

  *act(moment: HookContext, view: ContextView): Generator<Action, void, Outcome> {
    const { ledger, files } = this;
    const active = ledger.active - ledger.returned;
    // What has not been sent yet is not in the cache and cannot be deleted there.
    const entries = ledger.oldestDeletables(active - this.keepRecent, moment.turn);
    const reason = `${active} tool results are in the cached prefix, at least ${this.minActive}`;
    const by = { layer: 'microcompact', reason } as const;
    const before = sizeBefore(view);
    const tools = createNameTable<number>();
    let saved = 0;
    let seenSaved = 0;
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i]!;
      tools[entry.tool] = (tools[entry.tool] ?? 0) + 1;
      saved += entry.tokens;
      seenSaved += entry.rough;
      files.forgetRead(entry.toolUseId, entry.path);
    }
    const clearableBefore = ledger.activeTokens;
    ledger.mark(entries, 'deleted');
    yield { kind: 'delete-cached', by, results: entries };
    yield changeReport(view, before, {
      layer: 'microcompact',
      action: 'delete',
      trigger: 'auto',
      reason,
      saved,
      details: {
        form: 'cached',
        tools,
        ids: entries.length,
        manual: false,
        seenSaved,
        pinned: ledger.pinned,
        clearableBefore,
        clearableAfter: ledger.activeTokens,
      },
    });
  }
}

/** Cached microcompaction of 2026 (MIC-3). */
export const cachedMicrocompactLayer: LayerDefinition = {
  name: 'microcompact-cached',
  layer: 'microcompact',
  points: ['before-request'],
  needs: ['tools', 'timestamps'],
  killSwitch: 'microcompact.cached.enabled',
  params: layerParams('microcompact-cached'),
  create: (context) => new CachedMicrocompact(context),
};
