import { createEventQueue, type QueuedEvent } from '../base/queue.js';
import type { ThreadRun } from './thread-run.js';

/** Threads by the time of their next step; those that go on from another one come behind it. */
export class ThreadQueue {
  private readonly queue = createEventQueue<ThreadRun>();
  private readonly times = new Map<ThreadRun, number>();
  /** Threads behind one that waits for an answer itself: they have no time of their own until it goes on. */
  private held: QueuedEvent<ThreadRun>[] = [];

  /** A thread goes on at a time. */
  push(timeMs: number, run: ThreadRun): void {
    this.queue.push(timeMs, run);
    this.times.set(run, timeMs);
  }

  /** A thread comes behind its origin, which is still at work or may wait for another one itself. */
  pushBehind(origin: ThreadRun, timeMs: number, run: ThreadRun): void {
    const originMs = this.times.get(origin);
    if (originMs !== undefined) this.push(Math.max(originMs, timeMs), run);
    else this.held.push({ timeMs, item: run });
  }

  /** Threads that waited have gone on: those behind them look again. */
  release(): void {
    const { held } = this;
    this.held = [];
    for (const { timeMs, item } of held) this.push(timeMs, item);
  }

  pop(): QueuedEvent<ThreadRun> | null {
    const next = this.queue.pop();
    if (next !== null) this.times.delete(next.item);
    return next;
  }

  peekTime(): number | null {
    return this.queue.peekTime();
  }
}
