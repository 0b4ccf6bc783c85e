import type { Transcript } from '../../core/model/transcript.js';

import {
  sessionsInput,
  syntheticInput,
  type TranscriptInput,
} from '../../transcripts/files/transcript-input.js';
import {
  type LoadOptions,
  loadTranscript,
  loadTranscriptInput,
} from '../../transcripts/files/transcripts.js';
import { mergeSessions } from '../../transcripts/sessions/merge-sessions.js';
import { generateFlowing } from '../../transcripts/synthetic/generate-transcript.js';
import type { TranscriptRef } from '../normalise.js';
import type { FileRef } from './transcript-ref.js';

/** Equal keys are equal transcripts. */
export function refKey(ref: TranscriptRef): string {
  switch (ref.kind) {
    case 'file':
      return `file ${ref.path}`;
    case 'synthetic':
      return `synthetic ${JSON.stringify(ref.spec)}`;
    case 'sessions':
      return `sessions ${JSON.stringify(ref.sessions)}`;
  }
}

/** Equal keys are the same session: a generated one is the same work whatever model it is given to. */
export function sessionKey(ref: TranscriptRef): string {
  switch (ref.kind) {
    case 'file':
      return refKey(ref);
    case 'synthetic':
      return `synthetic ${JSON.stringify({ ...ref.spec, model: null })}`;
    case 'sessions': {
      const parts = ref.sessions.map((part) => ({ ...part, transcript: sessionKey(part.transcript) }));
      return `sessions ${JSON.stringify(parts)}`;
    }
  }
}

/** What the user would call it. */
export function refLabel(ref: TranscriptRef): string {
  switch (ref.kind) {
    case 'file':
      return ref.written;
    case 'synthetic':
      return `${ref.spec.workload} ${ref.spec.turns} (seed ${ref.spec.seed})`;
    case 'sessions':
      return `${ref.sessions.length} sessions`;
  }
}

/** The recordings that a transcript is made of. */
export function filesOf(ref: TranscriptRef): readonly FileRef[] {
  if (ref.kind === 'file') return [ref];
  return ref.kind === 'synthetic' ? [] : ref.sessions.flatMap(({ transcript }) => filesOf(transcript));
}

/** Reads or generates what a scenario refers to. */
export function openRef(ref: TranscriptRef, options: LoadOptions): Transcript {
  switch (ref.kind) {
    case 'file':
      return loadTranscript(ref.path, { ...options, place: ref.place }).transcript;
    case 'synthetic':
      return generateFlowing(ref.spec);
    case 'sessions':
      return mergeSessions(
        ref.sessions.map((session) => ({ ...session, transcript: openRef(session.transcript, options) })),
      );
  }
}

/** A recording with what is sent to the thread that replays it. */
export function openFileRef(ref: FileRef, options: LoadOptions): ReturnType<typeof loadTranscriptInput> {
  return loadTranscriptInput(ref.path, { ...options, place: ref.place });
}

/** The same as it is sent to the thread that replays it. */
export function inputOf(ref: TranscriptRef, options: LoadOptions): TranscriptInput {
  switch (ref.kind) {
    case 'file':
      return openFileRef(ref, options).input;
    case 'synthetic':
      return syntheticInput(ref.spec);
    case 'sessions':
      return sessionsInput(
        ref.sessions.map(({ transcript, ...part }) => ({ ...part, input: inputOf(transcript, options) })),
      );
  }
}
