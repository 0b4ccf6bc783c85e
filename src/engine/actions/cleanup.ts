import type { Action, Outcome } from '../../core/run/action.js';
import type { ActingThread } from './acting-thread.js';
import { DONE } from './done.js';
import { renderPrompt } from './render-prompt.js';

type Cleaning = Pick<
  ActingThread,
  'env' | 'thread' | 'isMain' | 'now' | 'context' | 'view' | 'host' | 'takenOut'
>;

/** What enters the system prompt with the new history (AUT-3) is part of what the compaction left. */
export function cleanUp(run: Cleaning, action: Extract<Action, { kind: 'cleanup' }>): Outcome {
  const before = run.view.trueTokens;
  run.host.reset(run.context.messages);
  renderPrompt(run);
  run.takenOut.compact(action.by.layer, before - run.view.trueTokens);
  return DONE;
}
