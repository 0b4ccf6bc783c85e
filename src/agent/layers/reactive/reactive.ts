import type { Action, Outcome } from '../../../core/run/action.js';
import type {
  ContextView,
  HookContext,
  LayerContext,
  LayerDefinition,
  LayerInstance,
} from '../../../core/run/layer.js';
import { type CompactionHistory, compactionHistory } from '../auto-compact/history.js';
import { compactFully } from '../full-compact/compact.js';
import { layerParams, param } from '../support/param-reader.js';

/** Reactive compaction: a main request refused as too long is held back, compacted and tried again (REA-1). */
export const reactiveLayer: LayerDefinition = {
  name: 'reactive',
  layer: 'reactive',
  points: ['refused'],
  needs: [],
  params: layerParams('reactive'),
  killSwitch: 'reactive.enabled',
  create: (context) => new Reactive(context),
};

/** Compacts what the API refused, a limited number of times per turn. */
class Reactive implements LayerInstance {
  readonly canCheckpoint = true;
  private readonly history: CompactionHistory;
  private readonly max: number;
  private turn = -1;
  private attempts = 0;

  constructor(private readonly context: LayerContext) {
    this.history = compactionHistory(context.shared);
    this.max = param.number(context.params, 'reactive.maxPerTurn');
  }

  due({ turn }: HookContext): boolean {
    if (turn !== this.turn) {
      this.turn = turn;
      this.attempts = 0;
    }
    return this.attempts < this.max && param.isOn(this.context.params, 'compact.enabled');
  }

  *act(moment: HookContext, view: ContextView): Generator<Action, void, Outcome> {
    const { context, history } = this;
    this.attempts++;
    const { failures } = history;
    const done = yield* compactFully(moment, view, context, {
      layer: 'reactive',
      trigger: 'reactive',
      reason: 'the request was refused as too long',
      tracking: history.track(moment, view.seenTokens, null, context.params),
    });
    if (!done) return;
    history.succeeded(moment.turn);
    const by = { layer: 'reactive', reason: 'a compaction has succeeded' } as const;
    if (failures > 0) yield { kind: 'breaker', by, state: 'reset', failures: 0 }; // BRK-1, C52
  }
}
