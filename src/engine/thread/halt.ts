import type { StopKind } from '../../core/run/action.js';
import type { LogSink } from '../../core/run/run-log.js';
import type { Stop } from '../requests/running-thread.js';

/** Why a thread makes no calls, and how many it has lost for that. */
export class Halt {
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

  /** The user begins a new prompt, compacts or clears: what ended the prompt before holds no longer (C42). */
  userActs(now: number): void {
    if (this.stop?.until !== 'next-prompt') return;
    this.log(now);
    this.stop = null;
  }

  /** Says what was lost. */
  log(now: number): void {
    if (this.lostCalls === 0 || this.stop === null) return;
    const { reason, how } = this.stop;
    this.sink.write({ type: how, t: now, thread: this.thread, calls: this.lostCalls, reason });
    this.lostCalls = 0;
  }
}

/** What a stop of some kind means for the calls behind it. */
export function stopOf(what: StopKind, reason: string): Stop {
  const isFinal = what === 'run-ended' || what === 'shut-down';
  return { reason, until: isFinal ? 'end' : 'next-prompt', how: what === 'shut-down' ? 'ended' : 'lost' };
}
