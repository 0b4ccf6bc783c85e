import type { Action, Outcome } from '../../core/run/action.js';
import type { ActingThread } from './acting-thread.js';
import { DONE } from './done.js';

/** A circuit breaker trips or is reset. */
export function breaker(
  run: Pick<ActingThread, 'env' | 'thread' | 'now' | 'turn'>,
  { failures, state }: Extract<Action, { kind: 'breaker' }>,
): Outcome {
  const { env, thread, now, turn } = run;
  env.sink.write({ type: 'breaker', t: now, thread: thread.id, turn, failures, state });
  return DONE;
}
