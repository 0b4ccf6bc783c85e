import { copyNameTable } from '../../core/base/create-name-table.js';
import type { Action, LayerReport, Outcome } from '../../core/run/action.js';
import type { ActingThread } from './acting-thread.js';
import { DONE } from './done.js';

/** A layer tells of what it did; what its calls have cost goes with it. */
export function report(
  run: Pick<ActingThread, 'env' | 'thread' | 'now' | 'turn' | 'tally'>,
  { entry }: Extract<Action, { kind: 'report' }>,
): Outcome {
  const { tally } = run;
  const details = tally.keepAlives > 0 ? withKeepAlives(entry.details, tally.keepAlives) : entry.details;
  run.env.sink.write({
    type: 'layer',
    t: run.now,
    thread: run.thread.id,
    turn: run.turn,
    layer: entry.layer,
    action: entry.action,
    trigger: entry.trigger,
    outcome: entry.outcome,
    reason: entry.reason,
    failure: entry.failure,
    seenBefore: entry.seenBefore,
    seenAfter: entry.seenAfter,
    trueBefore: entry.trueBefore,
    trueAfter: entry.trueAfter,
    saved: entry.saved,
    details,
    calls: tally.calls,
    cost: tally.costNano,
    cacheLost: tally.cacheLost,
  });
  tally.calls = 0;
  tally.costNano = 0;
  tally.cacheLost = 0;
  tally.keepAlives = 0;
  return DONE;
}

function withKeepAlives(details: LayerReport['details'], keepAlives: number): LayerReport['details'] {
  const told = copyNameTable(details);
  told.keepAlives = keepAlives;
  return told;
}
