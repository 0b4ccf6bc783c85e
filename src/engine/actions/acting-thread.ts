import type { Message } from '../../core/model/message.js';
import type { StopKind } from '../../core/run/action.js';
import type { Journal } from '../context/journal.js';
import type { Origin } from '../counting/own-tokens.js';
import type { RequestingThread } from '../requests/requesting-thread.js';
import type { Prevention } from './prevention.js';

/** A thread as the actions of its layers see it; each action names the part that it may touch. */
export interface ActingThread extends RequestingThread {
  readonly journal: Journal;
  readonly prevention: Prevention;
  /** The layers of the thread, as far as an action tells them something. */
  readonly host: { reset(messages: readonly Message[]): void };
  /** A layer put a new history in place since this was last cleared. */
  historyReplaced: boolean;
  /** Messages join the context, the counter, the journal and the layers' knowledge. */
  join(messages: readonly Message[], origin: Origin): void;
  /** Cached tokens in front of a position that is as it was sent. */
  cachedTokens(position: number): number;
  /** A layer wants to be asked again at a time. */
  wakeAt(timeMs: number): void;
  /** A guard or an error ends the prompt or the run, or another agent ends this one. */
  stop(what: StopKind, message: string): void;
}
