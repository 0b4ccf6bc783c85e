import { MS_PER_MINUTE } from '../../../core/base/clock.js';
import type { Action, Outcome } from '../../../core/run/action.js';
import type {
  ContextView,
  HookContext,
  LayerContext,
  LayerDefinition,
  LayerInstance,
} from '../../../core/run/layer.js';
import { layerParams, param } from '../support/param-reader.js';
import { clearResults } from './clear-results.js';
import { type ResultLedger, resultLedger } from './ledger.js';

/** Clears old results when the user comes back after the cache has gone (MIC-2). */
class TimeBasedMicrocompact implements LayerInstance {
  private readonly ledger: ResultLedger;
  private readonly gapMinutes: number;
  private readonly keepRecent: number;

  constructor(private readonly context: LayerContext) {
    const { params } = context;
    this.ledger = resultLedger(context);
    this.gapMinutes = param.number(params, 'microcompact.timeBased.gapMinutes');
    this.keepRecent = Math.max(1, param.number(params, 'microcompact.timeBased.keepRecent')); // MIC-2: floor 1
  }

  reset(): void {
    this.ledger.reset();
  }

  resume(): void {
    this.ledger.reset();
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
