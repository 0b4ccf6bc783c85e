import type { Message } from '../../../core/model/message.js';
import type { Action, Outcome } from '../../../core/run/action.js';
import { firedAt, type Limit } from '../../../core/run/limit.js';
import type { ParamSpec } from '../../../core/run/params.js';
import type {
  ContextView,
  Moment,
  TierContext,
  TierDefinition,
  TierInstance,
} from '../../../core/run/tier.js';
import { compactFully } from '../full-compact/compact.js';
import { FULL_COMPACT_PARAMS } from '../full-compact/params.js';
import { workState } from '../restore/work-state.js';
import { compactFromNotes } from '../session-memory/compact.js';
import { compactFromCache, keepsSummaries, rememberSummary } from '../session-memory/nested-cache.js';
import { choiceParam, integerParam, param, switchParam } from '../support/param-reader.js';
import { WINDOW_PARAMS } from '../window/params.js';
import { compactLimit } from '../window/thresholds.js';
import { compactionHistory } from './history.js';
import { compactsOn, mayCompact } from './may-compact.js';

/** Parameters of what survives a compaction (RES). */
export const RESTORE_PARAMS: readonly ParamSpec[] = [
  switchParam(
    'restore.enabled',
    true,
    'Whether files, skills, todo list and plan are put back after a compaction.',
  ),
  integerParam(
    'restore.files',
    5,
    'files',
    'How many of the most recently read or written files are read again (RES-1).',
  ),
  integerParam('restore.fileTokens', 5_000, 'tokens', 'A restored file is cut to this (RES-1).'),
  integerParam('restore.filesTotalTokens', 50_000, 'tokens', 'All restored files together (RES-1).'),
  choiceParam(
    'restore.largeFiles',
    ['cut', 'reference'],
    'A file over its limit is cut, or only named in a line that still uses a slot.',
  ),
  integerParam(
    'restore.referenceOverChars',
    20_000,
    'characters',
    'Files from this size on are only named, where that is the rule.',
  ),
  integerParam('restore.skillTokens', 5_000, 'tokens', 'A restored skill is cut to this (RES-2).'),
  integerParam('restore.skillsTotalTokens', 25_000, 'tokens', 'All restored skills together (RES-2).'),
  switchParam(
    'restore.background',
    true,
    'Whether agents and commands that still run in the background are named again (RES-3).',
  ),
];

/**
 * Auto-compaction (LOP-1): at the threshold, session memory first, then full compaction; with the breaker (BRK-1), the
 * recursion guard (BRK-2), recompaction tracking (BRK-4) and the thrash guard. Manual compaction takes the same road (FUL-10).
 */
export const autoCompactTier: TierDefinition = {
  name: 'auto-compact',
  layer: 'full-compact',
  points: ['before-request', 'manual'],
  needs: [],
  params: [...WINDOW_PARAMS, ...FULL_COMPACT_PARAMS, ...RESTORE_PARAMS],
  killSwitch: 'compact.enabled',
  compactsAt: ({ params, source, limits, model }) =>
    mayCompact(params, source)
      ? { limit: compactLimit({ limits, model: () => model }), isExempt: !compactsOn(params, model.name) }
      : null,
  create: (context) => createAutoCompact(context),
};

function createAutoCompact(context: TierContext): TierInstance {
  const { params } = context;
  const work = workState(context);
  const history = compactionHistory(context.shared);
  const maxFailures = param.numberOrNull(params, 'breaker.maxFailures');
  const scope = param.text(params, 'breaker.scope');
  const allowed = mayCompact(params, context.source);
  const fromNotes =
    param.isOn(params, 'sessionMemory.enabled') && param.isOn(params, 'sessionMemory.compaction.enabled');
  const keepsSummary = keepsSummaries(context);
  let known: ReturnType<TierContext['model']> | null = null;
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

  function* automatic(moment: Moment, view: ContextView): Generator<Action, void, Outcome> {
    const by = { layer: 'full-compact', reason: 'auto-compaction' } as const;
    if (scope === 'prompt' && history.failurePrompt !== moment.prompt) history.failures = 0;
    if (maxFailures !== null && history.failures >= maxFailures) {
      yield { kind: 'breaker', by, state: 'skipped', failures: history.failures };
      return;
    }
    if (history.isThrashing(moment.turn, params)) {
      yield {
        kind: 'stop',
        by,
        what: 'run-ended',
        message: 'the context fills up again right after each compaction',
      };
      return;
    }
    const seen = view.seenTokens;
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
    if (compacted) {
      if (before !== null && !fromCache) rememberSummary(context, before, view.messages);
      if (history.failures > 0) yield { kind: 'breaker', by, state: 'reset', failures: 0 };
      history.succeeded(moment.turn);
      return;
    }
    history.failed(moment.prompt);
    if (history.failures === maxFailures)
      yield { kind: 'breaker', by, state: 'tripped', failures: history.failures };
  }

  function* manual(moment: Moment, view: ContextView): Generator<Action, void, Outcome> {
    const done = yield* compactFully(moment, view, context, {
      layer: 'full-compact',
      trigger: 'manual',
      reason: 'the user asked for it',
      tracking: history.track(moment, view.seenTokens, limit(), params),
    });
    if (!done) return;
    if (history.failures > 0) {
      yield {
        kind: 'breaker',
        by: { layer: 'full-compact', reason: 'manual compaction' },
        state: 'reset',
        failures: 0,
      };
    }
    history.succeeded(moment.turn);
  }

  return {
    observe: (message: Message) => work.observe(message),
    reset: (messages) => work.files.reset(messages),
    resume(messages) {
      history.restart();
      work.files.reset(messages);
    },
    canCheckpoint: true, // all it remembers is shared by the tiers of the thread
    due(moment, view) {
      if (moment.point === 'manual') return true;
      if (!allowed) return false;
      const now = limit();
      return fires && now.isMetBy(view.seenTokens);
    },
    act: (moment, view) => (moment.point === 'manual' ? manual(moment, view) : automatic(moment, view)),
  };
}
