import type { StopKind } from '../../core/run/action.js';

/** Why a thread makes no calls, until when, and what becomes of those it had: lost, or ended by another agent (C36). */
export interface Stop {
  readonly reason: string;
  readonly until: 'next-prompt' | 'end';
  readonly how: 'lost' | 'ended';
}

/** What a stop of some kind means for the calls behind it. */
export function stopOf(what: StopKind, reason: string): Stop {
  const isFinal = what === 'run-ended' || what === 'shut-down';
  return { reason, until: isFinal ? 'end' : 'next-prompt', how: what === 'shut-down' ? 'ended' : 'lost' };
}
