import { type Digest, digestText } from '../../base/digest.js';
import { CHARS_PER_TOKEN } from '../../model/block.js';
import { literalText, type Text } from '../../model/text.js';

/** Notes as an extraction wrote them: true tokens and digest are known without reading. */
export interface Notes {
  readonly text: Text;
  readonly tokens: number;
  readonly digest: Digest;
}

/** An extraction that was started; its notes are there once its time has come. */
export interface Extraction {
  readonly startMs: number;
  readonly endMs: number;
  readonly notes: Notes;
  readonly lastMessageId: string;
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

/** Notes whose text is all that is known: read from a file after a restart. */
export function notesFromText(text: string): Notes {
  return {
    text: literalText(text),
    tokens: Math.ceil(text.length / CHARS_PER_TOKEN),
    digest: digestText(text),
  };
}

/** The notes of a file's text: those in the state when they are the same, else as far as the text tells. */
export function notesOnDisk(state: SessionMemoryState, text: string): Notes {
  const { notes } = state;
  return notes !== null && notes.text.chars === text.length && notes.text.read() === text
    ? notes
    : notesFromText(text);
}
