import { openRef, refKey } from '../../src/config/files/open-ref.js';
import type { TranscriptRef } from '../../src/config/normalise.js';
import type { Transcript } from '../../src/core/model/transcript.js';

/** Opens what runs refer to, each transcript once: the variants of a scenario mostly share one. */
export function openOnce(cwd: string): (ref: TranscriptRef) => Transcript {
  const opened = new Map<string, Transcript>();
  return (ref) => {
    const key = refKey(ref);
    const transcript = opened.get(key) ?? openRef(ref, { cwd });
    opened.set(key, transcript);
    return transcript;
  };
}
