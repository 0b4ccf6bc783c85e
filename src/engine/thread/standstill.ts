import type { LogSink } from '../../core/run/run-log.js';
import type { Stop } from './stop.js';

/** Why a thread makes no calls, and how many it has lost for that. */
export class Standstill {
  /** Null while it makes calls. */
  stop: Stop | null = null;
  private lostCalls = 0;

  constructor(
    private readonly sink: LogSink,
    private readonly thread: string,
  ) {}

  /** A recorded call cannot take place. */
  lose(): void {
    this.lostCalls++;
  }

  /** A new prompt begins: what ended the one before holds no longer. */
  promptBegins(now: number): void {
    if (this.stop?.until !== 'next-prompt') return;
    this.tell(now);
    this.stop = null;
  }

  /** Says what was lost. */
  tell(now: number): void {
    if (this.lostCalls === 0 || this.stop === null) return;
    const { reason, how } = this.stop;
    this.sink.write({ type: how, t: now, thread: this.thread, calls: this.lostCalls, reason });
    this.lostCalls = 0;
  }
}
