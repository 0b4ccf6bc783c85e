import type { Transcript } from '../../src/model/transcript.js';
import { readTranscript } from '../../src/transcript/read-transcript.js';

/** Reads a transcript in whichever known format it is, without the files of subagents. */
export function readAny(bytes: Uint8Array, options: { readonly id: string }): Transcript {
  return readTranscript(bytes, { ...options, agents: [] }).transcript;
}
