import type { Action, Outcome } from '../../model/action.js';
import type { ContextView } from '../../model/tier.js';
import { changeReport, sizeBefore } from '../change-report.js';
import type { OldResults } from './observations.js';

/** Puts placeholders in the place of old results and reports it; silent when nothing would get smaller. */
export function* clearOld(
  action: 'prune' | 'mask',
  reason: string,
  old: OldResults,
  view: ContextView,
): Generator<Action, void, Outcome> {
  if (old.count === 0) return;
  const before = sizeBefore(view);
  const by = { layer: 'baseline', reason } as const;
  yield { kind: 'rewrite-blocks', by, cause: 'microcompaction', keep: 'frozen', edits: old.edits };
  yield changeReport(view, before, {
    layer: 'baseline',
    action,
    trigger: 'auto',
    reason,
    saved: old.saved,
    details: { results: old.count },
  });
}
