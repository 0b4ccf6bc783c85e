import { layerRegistry } from '../../../agent/layers/registry.js';
import { createFiles } from '../../../core/base/files.js';
import type { Action } from '../../../core/run/action.js';
import type { LayerInstance } from '../../../core/run/layer.js';
import { Context } from '../../../engine/context/context.js';
import { findMessages } from '../../../engine/context/edited-tail.js';
import { ThreadView } from '../../../engine/context/thread-view.js';
import { counterRules, SeenCounter } from '../../../engine/counting/seen-counter.js';
import { MutableHookContext } from '../../../engine/thread/layer-host.js';
import type { HotContext } from './hot-context.js';

const NONE_GONE: ReadonlySet<string> = new Set();
const PAUSE_MS = 3 * 3_600_000;

/** A full window of tool results that waits to be cleared after a long pause (MIC-2). */
export interface FullClearing {
  /** Lays a fresh window and lets the layer take note of its results, as it does message by message in a session. */
  lay(): void;
  /** Clears all results but the latest; returns the true tokens that are left. */
  clear(): number;
}

/** Prepares the clearing of a window. */
export function fullClearing(hot: HotContext): FullClearing {
  const params = { ...hot.params, 'microcompact.timeBased.keepRecent': 1 };
  const definition = layerRegistry.get('microcompact-time');
  const rules = counterRules(params, 1);
  const moment = new MutableHookContext('main');
  moment.now = PAUSE_MS;
  moment.lastResponseMs = 0;
  let context!: Context;
  let seen!: SeenCounter;
  let view!: ThreadView;
  let layer!: LayerInstance;

  function rewrite({ edits }: Extract<Action, { kind: 'rewrite-blocks' }>): void {
    const before = findMessages(context.messages, new Set(edits.map((edit) => edit.messageId)));
    context.rewrite(edits);
    seen.replace(edits, before, NONE_GONE);
  }

  return {
    lay() {
      context = new Context(hot.context.prefix);
      seen = new SeenCounter(rules);
      for (const message of hot.messages) {
        context.extend([message]);
        seen.add(message);
      }
      context.sent();
      view = new ThreadView(context, seen, createFiles());
      layer = definition.create({ ...hot.layerContext, params, shared: new Map() });
      layer.due(moment, view);
    },
    clear() {
      const actions = layer.act(moment, view);
      for (let step = actions.next(); step.done !== true; step = actions.next({ kind: 'done' }))
        if (step.value.kind === 'rewrite-blocks') rewrite(step.value);
      return context.trueTokens;
    },
  };
}
