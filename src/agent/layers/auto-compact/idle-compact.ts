import { MS_PER_MINUTE } from '../../../core/base/clock.js';
import type { Action, Asker, Outcome } from '../../../core/run/action.js';
import type {
  ContextView,
  HookContext,
  LayerContext,
  LayerDefinition,
  LayerInstance,
} from '../../../core/run/layer.js';
import { compactFully } from '../full-compact/compact.js';
import { layerParams, param } from '../support/param-reader.js';
import { type CompactionHistory, compactionHistory } from './history.js';
import { mayCompact } from './may-compact.js';

const BY: Asker = { layer: 'full-compact', reason: 'the user is away' };

/** Compacts a long conversation while its user is away, before its cache entries end: whoever comes back writes the summary alone. */
class IdleCompact implements LayerInstance {
  readonly canCheckpoint = true;
  private readonly history: CompactionHistory;
  private readonly minTokens: number;
  private readonly minLifetimeMs: number;
  private readonly share: number;
  private readonly isAllowed: boolean;
  /** The response behind which it has acted. */
  private doneFor: number | null = null;

  constructor(private readonly context: LayerContext) {
    const { params, source, session } = context;
    this.history = compactionHistory(context.shared);
    this.minTokens = param.number(params, 'idleCompact.minTokens');
    this.minLifetimeMs = param.number(params, 'idleCompact.minLifetimeMinutes') * MS_PER_MINUTE;
    this.share = param.number(params, 'idleCompact.share');
    this.isAllowed = source === 'main' && session.waits !== 'never' && mayCompact(params, source);
  }

  due({ point, now, lastResponseMs }: HookContext, view: ContextView): boolean {
    const { cacheLifetimeMs, seenTokens, cacheIsWarm } = view;
    if (!this.isAllowed || lastResponseMs === null || cacheLifetimeMs === null) return false;
    if (cacheLifetimeMs < this.minLifetimeMs || seenTokens < this.minTokens) return false;
    if (point === 'end-of-loop') return true;
    return this.doneFor !== lastResponseMs && cacheIsWarm && now - lastResponseMs >= this.waitMs(view);
  }

  private waitMs({ cacheLifetimeMs }: ContextView): number {
    return this.share * cacheLifetimeMs!;
  }

  *act(moment: HookContext, view: ContextView): Generator<Action, void, Outcome> {
    const { params, session } = this.context;
    const lastResponseMs = moment.lastResponseMs!;
    if (moment.point === 'end-of-loop') {
      const waits = session.waits === 'always' && param.isOn(params, 'idleCompact.afterEnd');
      const timeMs = lastResponseMs + this.waitMs(view);
      yield { kind: 'wake-at', by: BY, timeMs, needs: waits ? 'process' : 'next-step' };
      return;
    }
    this.doneFor = lastResponseMs;
    const minutes = Math.floor((moment.now - lastResponseMs) / MS_PER_MINUTE);
    const done = yield* compactFully(moment, view, this.context, {
      layer: 'full-compact',
      trigger: 'idle',
      reason: `idle for ${minutes} minutes with ${view.seenTokens} tokens, and the cache is about to end`,
      tracking: this.history.track(moment, view.seenTokens, null, params),
    });
    if (done) this.history.succeeded(moment.turn);
  }
}

/** Idle compaction of Claude Code, announced with 2.1.299. */
export const idleCompactLayer: LayerDefinition = {
  name: 'idle-compact',
  layer: 'full-compact',
  points: ['end-of-loop', 'wake'],
  needs: ['timestamps'],
  params: layerParams('idle-compact'),
  killSwitch: 'idleCompact.enabled',
  create: (context) => new IdleCompact(context),
};
