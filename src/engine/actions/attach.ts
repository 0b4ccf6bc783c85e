import { messageTokens } from '../../core/model/message.js';
import type { Action, Outcome } from '../../core/run/action.js';
import type { ActingThread } from './acting-thread.js';
import { DONE } from './done.js';

/** Adds a message at the end; one that stands in the place of content taken out is taken off what its layer saved. */
export function attach(
  run: Pick<ActingThread, 'join' | 'seen' | 'takenOut'>,
  { by, message }: Extract<Action, { kind: 'attach' }>,
): Outcome {
  run.join([message], 'made');
  if (message.blocks.some(({ facts }) => facts.replaces !== undefined)) {
    run.takenOut.take(by.layer, -messageTokens(message), 'frozen');
    run.seen.standsForOther(message);
  }
  return DONE;
}
