import type { Action, Outcome } from '../../model/action.js';
import { messageTokens } from '../../model/message.js';
import type { ActingThread } from './acting-thread.js';
import { DONE } from './done.js';

type Attaching = Pick<ActingThread, 'join' | 'takenOut'>;

/** Adds a message at the end; what it stands for is out of the conversation only as far as it is longer (C9, C10). */
export function attach(
  run: Attaching,
  { by, message, standsFor }: Extract<Action, { kind: 'attach' }>,
): Outcome {
  run.join([message], 'made');
  if (standsFor === 'taken-out') run.takenOut.take(by.layer, -messageTokens(message), 'frozen');
  return DONE;
}
