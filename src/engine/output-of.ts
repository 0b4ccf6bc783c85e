import { messageTokens } from '../model/message.js';
import type { RecordedCall } from '../model/transcript.js';

/** Billed output of a call: as recorded, or the response's own tokens where the record is a placeholder. */
export function outputOf(call: RecordedCall): number {
  if (call.usage !== null && !call.outputIsPlaceholder) return call.usage.output;
  return messageTokens(call.response);
}
