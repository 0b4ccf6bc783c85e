import type { Outcome } from '../../core/run/action.js';

/** The outcome of an action that gives nothing back. */
export const DONE: Outcome = { kind: 'done' };
