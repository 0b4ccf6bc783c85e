import type { Transcript } from '../../../src/core/model/transcript.js';
import { addUsage, NO_USAGE, type Usage } from '../../../src/core/model/usage.js';
import { callsOf } from '../session.js';

/** Calls of a transcript and the sum of what was billed for them. */
export function recordedTotals({ threads }: Transcript): { readonly calls: number; readonly usage: Usage } {
  const calls = threads.flatMap(callsOf);
  const usage = calls.reduce((sum, call) => addUsage(sum, call.usage ?? NO_USAGE), NO_USAGE);
  return { calls: calls.length, usage };
}
