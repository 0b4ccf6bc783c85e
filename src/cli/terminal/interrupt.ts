import { createContext, Script } from 'node:vm';
import { EXIT } from '../session.js';

/** Thrown where work stops because the user asked for it. */
export class Interrupted extends Error {
  constructor() {
    super('interrupted');
    this.name = 'Interrupted';
  }
}

/** One turn of the event loop. Node's own promise of it is in a module that takes a while to load. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Lets pending signals come in, then stops if there was one. Long work calls it every few dozen milliseconds. */
export async function yieldToEventLoop(interrupt: AbortSignal): Promise<void> {
  await turn();
  if (interrupt.aborted) throw new Interrupted();
}

/** The same before something that cannot be undone: two rounds, so that a signal of this very moment is seen. */
export async function lastInterruptCheck(interrupt: AbortSignal): Promise<void> {
  await yieldToEventLoop(interrupt);
  await yieldToEventLoop(interrupt);
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** What receives the signals; null if nothing does. */
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

/** Does work that may never give control back, such as loading a plug-in: meanwhile a signal ends the process at once. */
export async function runWithoutListening<T>(work: () => Promise<T>): Promise<T> {
  const handler = listener;
  if (handler === null) return work();
  for (const name of SIGNALS) process.off(name, handler);
  try {
    return await work();
  } finally {
    for (const name of SIGNALS) process.on(name, handler);
  }
}

const events: NodeJS.EventEmitter = process;
const doNothing = (): void => undefined;

/**
 * Keeps Node's own handle for Ctrl-C open while `runInContext` takes the listeners away. Closing it would drop a signal that the
 * system has delivered and the event loop has not reported yet.
 */
function keepHandle(name: string | symbol): void {
  if (name === 'SIGINT' && process.listenerCount('SIGINT') === 0) process.on('SIGINT', doNothing);
}

/** A new handle for Ctrl-C: after `runInContext` the system no longer delivers to the old one. */
function renewHandle(handler: () => void): void {
  for (const each of [doNothing, handler]) process.off('SIGINT', each);
  process.on('SIGINT', handler);
}

/** What can be broken off; made once, as a context for each session of thousands would be most of the memory. */
let breakable: { run(work: () => unknown): unknown } | null = null;

function makeBreakable(): NonNullable<typeof breakable> {
  const held: { work: () => unknown } = { work: doNothing };
  const context = createContext(held);
  const script = new Script('work()');
  return {
    run(work) {
      held.work = work;
      try {
        return script.runInContext(context, { breakOnSigint: true });
      } finally {
        held.work = doNothing;
      }
    },
  };
}

/**
 * Does work that cannot pause: Ctrl-C breaks it off where it is, without its `finally`, and a request to terminate ends the
 * process as it ends programs that do not listen. Reports are replaced whole, so nothing is harmed by that. A Ctrl-C just before
 * the work is reported after it; one in the single turn between ends the process.
 */
export async function runInterruptible<T>(interrupt: AbortSignal, work: () => T): Promise<T> {
  const handler = listener;
  if (handler === null) return work();
  await lastInterruptCheck(interrupt);
  breakable ??= makeBreakable();
  process.off('SIGTERM', handler);
  events.prependListener('removeListener', keepHandle);
  let result: T;
  try {
    result = breakable.run(work) as T;
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_INTERRUPTED'
      ? new Interrupted()
      : error;
  } finally {
    events.off('removeListener', keepHandle);
    process.on('SIGTERM', handler);
    await turn();
    renewHandle(handler);
  }
  if (interrupt.aborted) throw new Interrupted();
  return result;
}
