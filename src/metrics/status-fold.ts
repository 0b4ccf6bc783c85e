import { percentLeft } from '../core/run/limit.js';
import type { RequestEntry, StatusEntry } from '../core/run/run-log.js';

/** A state that a client shows: over how many requests, and when. */
export interface ShownFacts {
  /** Requests of main loops that were sent while it was shown. */
  readonly turns: number;
  /** Times it was entered. */
  readonly times: number;
  /** Number of the request at which it was first entered; null when it never was. */
  readonly firstRequest: number | null;
  /** Number of the request at which it was last left; null while it is shown, and when it never was. */
  readonly leftAt: number | null;
}

/** What clients showed of their main conversations (WIN-5); null where no window was known. */
export interface StatusFacts {
  readonly warning: ShownFacts;
  readonly error: ShownFacts;
  readonly leastPercentLeft: number;
}

class Shown {
  private turns = 0;
  private times = 0;
  private firstRequest: number | null = null;
  private leftAt: number | null = null;
  private readonly threads = new Set<string>();

  change(thread: string, n: number, state: 'on' | 'off'): void {
    if (state === 'on') {
      if (this.threads.has(thread)) return;
      this.threads.add(thread);
      this.times += 1;
      this.firstRequest ??= n;
      this.leftAt = null;
    } else if (this.threads.delete(thread) && this.threads.size === 0) this.leftAt = n;
  }

  request(thread: string): void {
    if (this.threads.has(thread)) this.turns += 1;
  }

  finish(): ShownFacts {
    const { turns, times, firstRequest, leftAt } = this;
    return { turns, times, firstRequest, leftAt };
  }
}

/** Adds up what clients showed. */
export class StatusFold {
  readonly #warning = new Shown();
  readonly #error = new Shown();
  readonly #limits = new Map<string, number>();
  #least: number | null = null;

  addStatus({ thread, n, limit, warning, error }: StatusEntry): void {
    this.#limits.set(thread, limit);
    this.#warning.change(thread, n, warning ? 'on' : 'off');
    this.#error.change(thread, n, error ? 'on' : 'off');
  }

  addRequest({ thread, purpose, estimatedTokens: seen }: RequestEntry): void {
    if (purpose === 'main' && seen !== null) this.addSeen(thread, seen);
  }

  /** A request of a main loop. */
  addSeen(thread: string, seen: number): void {
    this.#warning.request(thread);
    this.#error.request(thread);
    const limit = this.#limits.get(thread);
    if (limit === undefined) return;
    const left = percentLeft(limit, seen);
    if (this.#least === null || left < this.#least) this.#least = left;
  }

  finish(): StatusFacts | null {
    if (this.#least === null) return null;
    const [warning, error] = [this.#warning.finish(), this.#error.finish()];
    return { warning, error, leastPercentLeft: this.#least };
  }
}
