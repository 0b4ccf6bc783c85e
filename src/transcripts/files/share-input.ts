import type { Transcript } from '../../core/model/transcript.js';
import { createWarnings } from '../../core/run/warning.js';
import { compileTranscript } from '../compiled/compile-transcript.js';
import { unpackBytes } from '../lines/json-lines.js';
import type { SessionFile } from '../readers/claude-code/read.js';
import {
  openTranscript,
  type RecordedInput,
  type SharedFile,
  type TranscriptInput,
} from './transcript-input.js';

/** A recording together with its compiled form, in memory that threads share. */
export function sharedRecording(
  input: RecordedInput,
  compiled: Uint8Array<SharedArrayBuffer>,
): TranscriptInput {
  const { key, id } = input;
  const files = [{ name: id, bytes: input.bytes }, ...input.agents].flatMap(sharedFile);
  return { kind: 'shared', key, id, compiled, files };
}

/** Compiles a transcript into memory that threads share; what cannot be opened stays as it is, and fails where it is used. */
export function shareInput(input: TranscriptInput): TranscriptInput {
  if (input.kind === 'shared') return input;
  if (input.kind === 'sessions') {
    return {
      ...input,
      sessions: input.sessions.map((session) => ({ ...session, input: shareInput(session.input) })),
    };
  }
  let transcript: Transcript;
  try {
    transcript = openTranscript(input);
  } catch {
    return input;
  }
  const compiled = compileTranscript(transcript);
  if (input.kind === 'recorded') return sharedRecording(input, compiled);
  return { kind: 'shared', key: input.key, id: transcript.id, compiled, files: [] };
}

/** A file that cannot be unpacked was left out of the transcript, so no text is read from it. */
function sharedFile({ name, bytes }: SessionFile): readonly SharedFile[] {
  try {
    const plain = unpackBytes(bytes, { name, warnings: createWarnings() });
    const shared = new Uint8Array(new SharedArrayBuffer(plain.length));
    shared.set(plain);
    return [{ name, bytes: shared }];
  } catch {
    return [];
  }
}
