import { messageTokens } from './message.js';
import type { RecordedCall } from './transcript.js';

/** True where the output that was billed is not recorded, so that the response's own tokens stand for it. */
export function isOutputEstimated(call: RecordedCall): boolean {
  return call.usage === null || call.outputIsPlaceholder;
}

/** Billed output of a call: as recorded, or the response's own tokens where the record is a placeholder. */
export function outputOf(call: RecordedCall): number {
  return isOutputEstimated(call) ? messageTokens(call.response) : call.usage!.output;
}
