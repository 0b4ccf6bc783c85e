import type { TranscriptInput } from '../transcripts/files/transcript-input.js';

/** Bytes of a recording for one call, roughly. */
const BYTES_PER_CALL = 4_000;

/** About how many calls a session has, without opening it: enough to tell long ones from short ones. */
export function expectedCalls(input: TranscriptInput): number {
  switch (input.kind) {
    case 'synthetic':
      return input.spec.turns;
    case 'recorded':
      return 1 + input.bytes.length / BYTES_PER_CALL;
    case 'shared':
      return 1 + input.compiled.length / BYTES_PER_CALL;
    case 'sessions':
      return input.sessions.reduce((sum, { input: own }) => sum + expectedCalls(own), 0);
  }
}
