import type { LogEntry } from '../../src/core/run/run-log.js';

/** How many of the generated cases reached each state. */
export class Reached {
  private cases = 0;
  private readonly counts = new Map<string, number>();

  /** Takes in a case; a state counts once in it. */
  add(states: Iterable<string>): void {
    this.cases++;
    for (const state of new Set(states)) this.counts.set(state, (this.counts.get(state) ?? 0) + 1);
  }

  /** Share of the cases that reached a state. */
  share(state: string): number {
    return (this.counts.get(state) ?? 0) / this.cases;
  }
}

/** What happened in a run, each once. */
export function statesOf(entries: readonly LogEntry[]): ReadonlySet<string> {
  const states = new Set<string>();
  for (const entry of entries) {
    if (entry.type === 'layer') {
      states.add(entry.layer);
      if (entry.action === 'compact' && entry.outcome === 'failed') states.add('compaction failed');
      if (entry.action === 'dream') states.add('dream');
    }
    if (entry.type === 'breaker') states.add(`breaker ${entry.state}`);
    if (entry.type === 'thread' && entry.parent !== null)
      states.add(entry.sharedTokens === undefined ? 'subagent' : 'fork');
    if (entry.type === 'notice') states.add(entry.what);
  }
  return states;
}
