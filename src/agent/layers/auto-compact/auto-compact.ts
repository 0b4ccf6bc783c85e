import { MS_PER_MINUTE } from '../../../core/base/clock.js';
import { askedBy } from '../../../core/model/transcript.js';
import type { Action, Asker, Outcome } from '../../../core/run/action.js';
import type {
  ContextView,
  HookContext,
  LayerContext,
  LayerDefinition,
  LayerInstance,
} from '../../../core/run/layer.js';
import { firedAt, type Limit } from '../../../core/run/limit.js';
import { childAgents } from '../../../core/run/run-plan.js';
import { compactFully } from '../full-compact/compact.js';
import { workState } from '../restore/work-state.js';
import { Guards, thrashStop } from '../rules/guards.js';
import { compactFromNotes } from '../session-memory/compact.js';
import { compactFromCache, rememberSummary } from '../session-memory/nested-cache.js';
import { layerParams, param } from '../support/param-reader.js';
import { compactLimit } from '../thresholds/thresholds.js';
import { type CompactionHistory, compactionHistory } from './history.js';
import { compactsOn, mayCompact } from './may-compact.js';

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

/**
 * Auto-compaction (LOP-1): at the threshold, session memory first, then full compaction; with the breaker (BRK-1), the
 * recursion guard (BRK-2), recompaction tracking (BRK-4) and the thrash guard. Manual compaction takes the same road (FUL-10).
 */
export const autoCompactLayer: LayerDefinition = {
  name: 'auto-compact',
  layer: 'full-compact',
  points: ['before-request', 'manual'],
  needs: [],
  params: [...layerParams('window'), ...layerParams('full-compact'), ...layerParams('restore')],
  killSwitch: 'compact.enabled',
  compactsAt: ({ params, source, limits, model }) =>
    mayCompact(params, source)
      ? { limit: compactLimit({ limits, model: () => model }), isExempt: !compactsOn(params, model.name) }
      : null,
  create: (context) => createAutoCompact(context),
};

function createAutoCompact(context: LayerContext): LayerInstance {
  const { params } = context;
  const work = workState(context);
  const history = compactionHistory(context.shared);
  const guards = Guards.ofBreaker(
    {
      after: param.numberOrNull(params, 'breaker.maxFailures') ?? Number.POSITIVE_INFINITY,
      until: param.text(params, 'breaker.scope') === 'prompt' ? 'prompt' : 'success',
    },
    history,
  );
  const allowed = mayCompact(params, context.source);
  const fromNotes =
    param.isOn(params, 'sessionMemory.enabled') && param.isOn(params, 'sessionMemory.compaction.enabled');
  const keepsSummary = param.isOn(params, 'nestedMemoryCache.enabled');
  const countsCleared = param.isOn(params, 'autoCompact.countsCleared');
  const candidates = param.text(params, 'restore.candidates') === 'named' ? 'named' : 'shown';
  const countOf = ({ turn }: HookContext, { seenTokens }: ContextView): number =>
    countsCleared ? history.countWith(turn, seenTokens) : seenTokens;
  let known: ReturnType<LayerContext['model']> | null = null;
  let threshold: Limit | null = null;
  let fires = true;
  const limit = (): Limit => {
    const model = context.model();
    if (model !== known || threshold === null) {
      known = model;
      threshold = compactLimit(context);
      fires = compactsOn(params, model.name);
    }
    return threshold;
  };

  function* automatic(moment: HookContext, view: ContextView): Generator<Action, void, Outcome> {
    if (guards.isOpen(NAME, moment)) {
      yield guards.skipped(NAME);
      return;
    }
    if (history.isThrashing(moment.turn, params)) {
      yield thrashStop('full-compact');
      return;
    }
    const seen = countOf(moment, view);
    const tracking = history.track(moment, seen, limit(), params);
    const before = keepsSummary ? new Set(view.messages.map(({ id }) => id)) : null;
    const fromCache =
      before !== null && (yield* compactFromCache(moment, view, context, tracking)) === 'done';
    const compacted =
      fromCache ||
      (fromNotes && (yield* compactFromNotes(moment, view, context, tracking)) === 'done') ||
      (yield* compactFully(moment, view, context, {
        layer: 'full-compact',
        trigger: 'auto',
        reason: firedAt(seen, limit().value),
        tracking,
      }));
    if (compacted && before !== null && !fromCache) rememberSummary(context, before, view.messages);
    yield* compacted ? guards.succeeded(NAME, moment) : guards.failed(NAME, moment);
  }

  function* manual(moment: HookContext, view: ContextView): Generator<Action, void, Outcome> {
    const done = yield* compactFully(moment, view, context, {
      layer: 'full-compact',
      ...askedBy(moment.manual),
      tracking: history.track(moment, view.seenTokens, limit(), params),
    });
    if (done) yield* guards.succeeded(NAME, moment);
  }

  return {
    observe: (message) => work.observe(message),
    reset(messages) {
      work.files.reset(messages, candidates);
      work.notified();
      childAgents(context.session.world).notified(context.thread);
    },
    resume(messages) {
      history.restart();
      work.files.reset(messages, candidates);
    },
    canCheckpoint: true, // all it remembers is shared by the layers of the thread
    due(moment, view) {
      if (moment.point === 'manual') return true;
      if (!allowed) return false;
      const now = limit();
      return fires && now.isMetBy(countOf(moment, view));
    },
    act: (moment, view) => (moment.point === 'manual' ? manual(moment, view) : automatic(moment, view)),
  };
}

const NAME = 'auto-compact';
