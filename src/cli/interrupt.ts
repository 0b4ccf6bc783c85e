import { setImmediate } from 'node:timers/promises';
import { EXIT } from './exit-codes.js';

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

/** Turns Ctrl-C and a request to terminate into an abort; the second one ends the process at once. */
export function listenForInterrupt(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(EXIT.interrupted);
      controller.abort();
    });
  }
  return controller.signal;
}
