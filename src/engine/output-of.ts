import type { RecordedCall } from '../model/transcript.js';

/** Billed output of a call: as recorded, or the response's own tokens where the record is a placeholder. */
export function outputOf(call: RecordedCall): number {
  if (call.usage !== null && !call.outputIsPlaceholder) return call.usage.output;
  let tokens = 0;
  for (const block of call.response.blocks) tokens += block.tokens;
  return tokens;
}
