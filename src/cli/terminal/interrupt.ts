import { setImmediate } from 'node:timers/promises';
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

/** Input from this size on may take longer than a second to be read. */
const LARGE_BYTES = 33_554_432;

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

/**
 * Does work that cannot pause. Over large input nobody would hear a signal for seconds: it then ends the process at once, as it
 * ends programs that do not listen. Reports are replaced whole, so nothing is harmed by that.
 */
export async function withoutPause<T>(bytes: number, interrupt: AbortSignal, work: () => T): Promise<T> {
  if (listener === null || bytes < LARGE_BYTES) return work();
  await lastChance(interrupt); // one that has arrived would be lost with its listener
  for (const name of SIGNALS) process.off(name, listener);
  try {
    return work();
  } finally {
    for (const name of SIGNALS) process.on(name, listener);
  }
}
