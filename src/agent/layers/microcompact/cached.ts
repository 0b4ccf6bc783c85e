import { createNameTable } from '../../../core/base/create-name-table.js';
import type { Action, Outcome } from '../../../core/run/action.js';
import type {
  ContextView,
  HookContext,
  LayerContext,
  LayerDefinition,
  LayerInstance,
} from '../../../core/run/layer.js';
import { type FileState, fileState } from '../file-state/file-state.js';
import { changeReport, sizeBefore } from '../support/change-report.js';
import { layerParams, param } from '../support/param-reader.js';
import { type ResultLedger, resultLedger } from './ledger.js';

/** Deletes old results on the server while the cache is warm; local messages stay as they are (MIC-3). */
class CachedMicrocompact implements LayerInstance {
  private readonly ledger: ResultLedger;
  private readonly minActive: number;
  private readonly keepRecent: number;
  private readonly files: FileState;

  constructor(context: LayerContext) {
    const { params } = context;
    this.ledger = resultLedger(context);
    this.files = fileState(context);
    this.keepRecent = param.number(params, 'microcompact.cached.keepRecent');
    this.minActive = Math.max(param.number(params, 'microcompact.cached.minActive'), this.keepRecent + 1);
  }

  reset(): void {
    this.ledger.reset();
  }

  resume(): void {
    this.ledger.reset();
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
