import type { Transcript } from '../../../src/core/model/transcript.js';
import { readTranscript } from '../../../src/transcripts/read-transcript.js';

/** Reads a transcript in whichever known format it is, without the files of subagents. */
export function readAny(bytes: Uint8Array, options: { readonly id: string }): Transcript {
  return readTranscript(bytes, { ...options, agents: [] }).transcript;
}
