import { messageTokens } from './message.js';
import type { RecordedCall } from './transcript.js';

/** True where the output that was billed is not recorded: it is at least what is, and likely the response's own tokens. */
export function isOutputEstimated(call: RecordedCall): boolean {
  return (call.usage === null && call.outputTokens === undefined) || call.outputIsPlaceholder;
}

/**
 * Billed output of a call: as recorded, or the response's own tokens where the record is a placeholder. A placeholder is a count
 * from within the stream, and such a count only grows: no estimate is below it.
 */
export function outputOf(call: RecordedCall): number {
  const recorded = call.usage?.output ?? call.outputTokens ?? 0;
  return isOutputEstimated(call) ? Math.max(recorded, messageTokens(call.response)) : recorded;
}
