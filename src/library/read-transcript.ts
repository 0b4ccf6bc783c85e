import type { Transcript } from '../core/model/transcript.js';
import { loadTranscript } from '../transcripts/files/transcripts.js';
import { readTranscript as readBytes } from '../transcripts/read-transcript.js';
import { pathOf, type Source, speaking, workingFolder } from './source.js';

/** Reads a recording in any format that ccbench or a plug-in knows: a file with the subagents beside it, a text, or bytes. */
export function readTranscript(
  source: Source | Uint8Array,
  options: { readonly id?: string } = {},
): Transcript {
  return speaking(() => {
    const path = source instanceof Uint8Array ? null : pathOf(source);
    if (path !== null) return loadTranscript(path, { cwd: workingFolder() }).transcript;
    const bytes = source instanceof Uint8Array ? source : Buffer.from(String(source), 'utf8');
    return readBytes(bytes, { id: options.id ?? 'transcript', agents: [] }).transcript;
  });
}
