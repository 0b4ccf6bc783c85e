import type { Action, Outcome } from '../../../core/run/action.js';
import { childAgents } from '../../../core/run/child-agents.js';
import type {
  ContextView,
  HookContext,
  LayerContext,
  LayerDefinition,
  LayerInstance,
} from '../../../core/run/layer.js';
import { firedAt, type Limit } from '../../../core/run/limit.js';
import { compactFully } from '../full-compact/compact.js';
import { workState } from '../restore/work-state.js';
import { Guards, thrashStop } from '../rules/guards.js';
import { compactFromNotes } from '../session-memory/compact.js';
import { compactFromCache, keepsSummaries, rememberSummary } from '../session-memory/nested-cache.js';
import { layerParams, param } from '../support/param-reader.js';
import { compactLimit } from '../thresholds/thresholds.js';
import { compactionHistory } from './history.js';
import { compactsOn, mayCompact } from './may-compact.js';

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
  const keepsSummary = keepsSummaries(context);
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
      trigger: 'manual',
      reason: 'the user asked for it',
      tracking: history.track(moment, view.seenTokens, limit(), params),
    });
    if (done) yield* guards.succeeded(NAME, moment);
  }

  return {
    observe: (message) => work.observe(message),
    reset(messages) {
      work.files.reset(messages, candidates);
      work.told();
      childAgents(context.session.world).told(context.thread);
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
