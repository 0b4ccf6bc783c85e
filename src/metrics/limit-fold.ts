import type { LogEntry, RunEntry } from '../core/run/run-log.js';
import type { RunFacts } from './facts.js';
import { createStatusFold } from './status-fold.js';
import { detailAmount } from './tally.js';

/** The facts of a run in which the same happened as in another under other limits: what limits have a say in is added up anew. */
export class LimitFold {
  private readonly status = createStatusFold();
  private run: RunEntry | null = null;
  private overshootTokens: number | null = null;

  constructor(private readonly facts: RunFacts) {}

  write(entry: LogEntry): void {
    if (entry.type === 'status') this.status.addStatus(entry);
    else if (entry.type === 'run') this.run = entry;
    else if (entry.type === 'layer') {
      const overshoot = detailAmount(entry.details, 'overshoot');
      if (overshoot !== null) this.overshootTokens = Math.max(this.overshootTokens ?? overshoot, overshoot);
    }
  }

  seen(thread: string, tokens: number): void {
    this.status.addSeen(thread, tokens);
  }

  finish(): RunFacts {
    const { facts, run, overshootTokens } = this;
    return { ...facts, run, overshootTokens, status: this.status.finish() };
  }
}
