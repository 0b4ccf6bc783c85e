import type { StoredFile } from '../../../core/base/files.js';
import { type Notes, notesFromText } from '../../../core/model/notes.js';
import type { Action, Outcome } from '../../../core/run/action.js';

/** An extraction that was started; its notes are there once its time has come. */
export interface Extraction {
  readonly startMs: number;
  readonly endMs: number;
  readonly notes: Notes;
  readonly lastMessageId: string;
  /** The short request with the results of the edits, sent when they are in the file (SES-3). */
  close(nowMs: number): Generator<Action, void, Outcome>;
}

/** What the extraction and the compaction from notes know together about one thread. */
export interface SessionMemoryState {
  /** The notes that are on disk; null before the first, and after a restart of the process. */
  notes: Notes | null;
  /** Latest message the notes cover; null when unknown. */
  lastSummarisedMessageId: string | null;
  /** At most one at a time (SES-3). */
  running: Extraction | null;
  /** Compactions made from notes, for the ids of their messages. */
  compactions: number;
}

const SHARED_KEY = 'session-memory';

/** The state in a thread's shared map, under the key `session-memory`; made at the first asking. */
export function sessionMemoryState(shared: Map<string, unknown>): SessionMemoryState {
  let state = shared.get(SHARED_KEY) as SessionMemoryState | undefined;
  if (state === undefined) {
    state = { notes: null, lastSummarisedMessageId: null, running: null, compactions: 0 };
    shared.set(SHARED_KEY, state);
  }
  return state;
}

/** The notes of a file: those in the state when the file holds them, else as far as its text tells. */
export function notesOnDisk(state: SessionMemoryState, file: StoredFile): Notes {
  const { notes } = state;
  if (notes === null) return notesFromText(file.text);
  if (file.content === notes.text) return notes;
  return file.chars === notes.text.chars && file.text === notes.text.read()
    ? notes
    : notesFromText(file.text);
}
