import { setImmediate } from 'node:timers/promises';
import { createContext, runInContext } from 'node:vm';
import { EXIT } from '../exit-codes.js';

/** Thrown where work stops because the user asked for it. */
export class Interrupted extends Error {
  constructor() {
    super('interrupted');
    this.name = 'Interrupted';
  }
}

/** Lets pending signals come in, then stops if there was one. Long work calls it every few dozen milliseconds. */
export async function breathe(interrupt: AbortSignal): Promise<void> {
  await setImmediate();
  if (interrupt.aborted) throw new Interrupted();
}

/** The same before something that cannot be undone: two rounds, so that a signal of this very moment is seen. */
export async function lastChance(interrupt: AbortSignal): Promise<void> {
  await breathe(interrupt);
  await breathe(interrupt);
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** What hears the signals; null where nothing does. */
let listener: (() => void) | null = null;

/** Turns Ctrl-C and a request to terminate into an abort; the second one ends the process at once. */
export function listenForInterrupt(): AbortSignal {
  const controller = new AbortController();
  listener = () => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    controller.abort();
  };
  for (const name of SIGNALS) process.on(name, listener);
  return controller.signal;
}

/** What is given to `withoutPause`, where a script can call it. */
const workbench = createContext({ work: null as (() => unknown) | null });

/**
 * Does work that cannot pause: Ctrl-C breaks it off where it is, without its `finally`, and a request to terminate ends the
 * process as it ends programs that do not listen. Reports are replaced whole, so nothing is harmed by that.
 */
export async function withoutPause<T>(interrupt: AbortSignal, work: () => T): Promise<T> {
  if (listener === null) return work();
  await lastChance(interrupt); // one that has arrived would be lost with its listener
  process.off('SIGTERM', listener);
  try {
    workbench.work = work;
    return runInContext('work()', workbench, { breakOnSigint: true }) as T;
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_INTERRUPTED'
      ? new Interrupted()
      : error;
  } finally {
    workbench.work = null;
    process.on('SIGTERM', listener);
  }
}
