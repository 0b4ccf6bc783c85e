import type { Transcript } from '../../../src/core/model/transcript.js';
import { generateTranscript } from '../../../src/transcripts/synthetic/generate-transcript.js';

type Spec = Parameters<typeof generateTranscript>[0];

/** A generated session of this many turns: sizes without words, seed 1 unless told. */
export function bugfixSession(turns: number, change: Partial<Spec> = {}): Transcript {
  return generateTranscript({ workload: 'bugfix', turns, seed: 1, text: 'none', ...change });
}
