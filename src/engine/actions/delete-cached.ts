import type { Action, Outcome } from '../../core/run/action.js';
import type { ActingThread } from './acting-thread.js';
import { DONE } from './done.js';

/** Content is deleted on the server; the conversation stays as it is (MIC-3). */
export function deleteCached(
  run: Pick<ActingThread, 'view' | 'takenOut' | 'seen'>,
  action: Extract<Action, { kind: 'delete-cached' }>,
): Outcome {
  const tokens = run.view.deletions.add(action.by.layer, action.results);
  run.takenOut.take(action.by.layer, tokens, 'live');
  run.seen.deleteCached(tokens);
  return DONE;
}
